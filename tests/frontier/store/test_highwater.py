"""A WAL that is lost, cut or of another crawl is told; all else that a kill leaves goes on."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from frontier.errors import StoreDamagedError
from frontier.recovery.check import check
from frontier.store import Store, StoreReader, highwater
from tests.support.told import tells

CRAWL = """
import os, sys
from pathlib import Path
from frontier.store import Store

store = Store.open(Path(sys.argv[1]))
host = store.add_host("a.example")
first = store.count_urls()
for url_id in range(first, first + int(sys.argv[2])):
    found = url_id * 3 + int(sys.argv[3])
    store.add_url(url_id, found, f"u{found}", host=host, depth=0, found=1.0)
    store.commit()
os._exit(9)
"""
WAL = "frontier.sqlite-wal"

noting = pytest.mark.skipif(
    not highwater._BOOT.exists(), reason="where a power cut cannot be told, no note is believed"
)


def killed(directory: Path, urls: int = 50, salt: int = 0) -> Path:
    """Leave a crawl behind that was killed after so many commits."""
    command = [sys.executable, "-c", CRAWL, str(directory), str(urls), str(salt)]
    assert subprocess.run(command, check=False, timeout=60).returncode == 9
    return directory


def lost(directory: Path) -> None:
    (directory / WAL).unlink()


def cut(directory: Path) -> None:
    path = directory / WAL
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(directory: Path) -> None:
    (directory / WAL).write_bytes(b"")


def exchanged(directory: Path) -> None:
    other = killed(directory.parent / "other", 70, salt=1)
    shutil.copyfile(other / WAL, directory / WAL)


@noting
@pytest.mark.parametrize("harm", [lost, cut, emptied, exchanged])
def test_what_was_committed_and_is_gone_is_told(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    job = killed(tmp_path / "job")
    harm(job)
    with pytest.raises(StoreDamagedError, match=r"-wal .*delete"):
        Store.open(job)
    assert tells([one.what for one in check(job).findings if not one.intact], "committed")
    (job / "frontier.mark").unlink()
    if harm is not exchanged:
        with Store.open(job) as store:
            assert store.count_urls() < 50


def test_without_the_index_of_the_wal_nothing_is_missing(tmp_path: Path) -> None:
    job = killed(tmp_path / "job")
    (job / "frontier.sqlite-shm").unlink()
    assert check(job).intact
    with Store.open(job) as store:
        assert store.count_urls() == 50


@noting
def test_kill_after_kill_the_crawl_goes_on_and_a_closed_one_keeps_no_note(tmp_path: Path) -> None:
    job = tmp_path / "job"
    for kills in range(1, 4):
        killed(job)
        assert highwater.read_mark(job) is not None
        with StoreReader.open(job) as reader:
            assert reader.count_urls() == kills * 50
    Store.open(job).close()
    assert {path.name for path in job.iterdir()} == {"frontier.sqlite", "frontier.lock"}


def test_after_a_power_cut_the_note_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = killed(tmp_path / "job")
    lost(job)
    monkeypatch.setattr(highwater, "_boot", lambda: "another run of the machine")
    Store.open(job).close()


def test_a_crawl_that_was_moved_away_is_begun_anew(tmp_path: Path) -> None:
    job = killed(tmp_path / "job")
    for name in ("frontier.sqlite", WAL, "frontier.sqlite-shm"):
        (job / name).unlink()
    with Store.open(job) as store:
        assert store.count_urls() == 0


@pytest.mark.parametrize("note", ["", "x", "boot 1 2", "boot a b c", "\0" * 121])
def test_a_note_that_says_nothing_is_none(tmp_path: Path, note: str) -> None:
    job = killed(tmp_path / "job")
    (job / "frontier.mark").write_text(note)
    with Store.open(job) as store:
        assert store.count_urls() == 50
