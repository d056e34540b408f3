"""Feeds of JSON lines, after a kill and on a disk that takes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.plugin.extensions.basics import mend_lines
from tests.support.kept import Kept, site_of
from tests.support.scrapy_forks import forking
from tests.support.sites import serving
from tests.support.told import tells

WHOLE = b'{"a": 1}\n{"a": 2}\n'
FULL = Path("/dev/full")
full = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")


@pytest.mark.parametrize(
    ("left", "mended"),
    [
        (b"", b""),
        (WHOLE, WHOLE),
        (WHOLE + b'{"a": 3', WHOLE),
        (WHOLE + b'{"a": 3}', WHOLE),
        (b'{"a": ', b""),
        (WHOLE + b'{"a": "' + b"x" * 200_000, WHOLE),
        (WHOLE + b'{"a": "\xc3', WHOLE),
        (WHOLE + b"\0" * 50, WHOLE),
    ],
)
def test_what_no_line_end_follows_is_taken_off(tmp_path: Path, left: bytes, mended: bytes) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_bytes(left)
    mend_lines(path)
    assert path.read_bytes() == mended
    mend_lines(path)
    assert path.read_bytes() == mended


@given(cut=st.integers(0, len(WHOLE)))
def test_wherever_a_line_was_cut_what_is_left_are_lines(
    cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("feed") / "pages.jsonl"
    path.write_bytes(WHOLE[:cut])
    mend_lines(path)
    assert path.read_bytes() in (b"", WHOLE[:9], WHOLE)


def test_a_feed_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    mend_lines(tmp_path / "absent.jsonl")
    mend_lines(tmp_path)
    assert list(tmp_path.iterdir()) == []


@full
def test_items_that_cannot_be_written_stop_the_crawl_and_come_when_it_goes_on(
    tmp_path: Path,
) -> None:
    with serving(site_of(6)) as site, forking() as forks:
        kept = Kept(forks, site, tmp_path / "job")
        (tmp_path / "job.jsonl").symlink_to(FULL)
        assert kept.start().wait() == 1
        assert kept.log.count(" CRITICAL: ") == 1
        assert tells(kept.log, "items", "No space left on device")
        assert f"for the directory {kept.job}" in kept.log
        assert "Traceback" not in kept.log
        (tmp_path / "job.jsonl").unlink()
        kept.finish()
        assert sorted(set(kept.items())) == sorted(site_of(6))
