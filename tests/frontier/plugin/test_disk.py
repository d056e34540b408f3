"""A directory that goes away under a crawl, or a full disk, ends it with one message."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.plugin.extensions.whole_files import mend_lines
from tests.support.kept import Kept, Whole, anew, keeping, shim, site_of
from tests.support.scrapy_forks import Forks, forking, shared_forks
from tests.support.sites import Asked, Page, serving
from tests.support.told import tells

PAGES = 60
TRIGGER = "/5"
AFTERWARDS = 12
"""Requests after the fault at most: what was in flight, and what came until the next commit."""


@pytest.fixture(scope="module")
def forks() -> Forks:
    return shared_forks()


@contextmanager
def crawl_with(forks: Forks, job: Path, fault: Callable[[Path], None]) -> Iterator[Kept]:
    """Yield a crawl; when page TRIGGER is first answered, something happens to the directory."""
    pages = site_of(PAGES)
    html = str(pages[TRIGGER])

    def answer(asked: Asked) -> Page:
        if asked.count == 1:
            fault(job)
        return 200, {"Content-Type": "text/html"}, html.encode()

    pages[TRIGGER] = answer
    with serving(pages) as site:
        yield Kept(forks, site, job)


def stopped_in_order(log: str, *words: str) -> None:
    """One message with what to do, and nothing that looks like a crash."""
    assert log.count(" CRITICAL: ") == 1, log
    for sign in ("Traceback", " ERROR: ", "Unhandled", "never retrieved"):
        assert sign not in log, log
    message = next(line for line in log.splitlines() if " CRITICAL: " in line)
    for word in words:
        assert word in message, message


def removed(job: Path) -> None:
    shutil.rmtree(job)


def moved(job: Path) -> None:
    job.rename(job.with_name("elsewhere"))


def file_replaced(job: Path) -> None:
    shutil.copy(job / "frontier.sqlite", job / "copy")
    (job / "copy").replace(job / "frontier.sqlite")


@pytest.mark.parametrize("fault", [removed, file_replaced])
def test_a_directory_that_goes_away_stops_the_crawl_at_once(
    forks: Forks, tmp_path: Path, fault: Callable[[Path], None]
) -> None:
    with crawl_with(forks, tmp_path / "job", fault) as kept:
        assert kept.start().wait() == 1
        stopped_in_order(kept.log, str(kept.job), "removed, moved or replaced", "JOBDIR")
        asked = kept.site.paths
    assert len(asked) - asked.index(TRIGGER) <= AFTERWARDS


def test_what_was_put_in_its_place_is_left_alone(forks: Forks, tmp_path: Path) -> None:
    """Another crawl may be at work there."""
    content = {name: name.encode() for name in ("frontier.sqlite", "frontier.sqlite-wal")}
    content |= {name: name.encode() for name in ("frontier.pid",)}

    def replaced(job: Path) -> None:
        moved(job)
        job.mkdir()
        for name, data in content.items():
            (job / name).write_bytes(data)

    with crawl_with(forks, tmp_path / "job", replaced) as kept:
        assert kept.start().wait() == 1
        stopped_in_order(kept.log, str(kept.job), "removed, moved or replaced", "JOBDIR")
        assert {name: (kept.job / name).read_bytes() for name in content} == content


def test_a_jobdir_that_cannot_be_a_directory_is_named(forks: Forks, tmp_path: Path) -> None:
    job = tmp_path / "file" / "job"
    job.parent.write_text("not a directory")
    with serving(site_of(1)) as site:
        kept = Kept(forks, site, tmp_path / "log" / "job")
        kept.job.parent.mkdir()
        kept.more = "-s", f"JOBDIR={job}"
        assert kept.start().wait() == 1
        assert kept.site.asked == []
    stopped_in_order(kept.log, str(job), "JOBDIR")


# -- a disk that takes no more stops a crawl in order; nothing that was known is lost --


SMALL = 6


def starve(kept: Kept, whole: Whole, at: int, error: int, times: int = 0) -> None:
    """Let writes fail from one on, look at the end of that run, and go on."""
    crawl = anew(kept, f"starved{at}-{error}-{times}")
    ended = crawl.fault("error", at, FAULT_ERRNO=str(error), FAULT_TIMES=str(times))
    log = crawl.log
    assert "Traceback" not in log, log
    assert log.count(" CRITICAL: ") == ended, log
    if ended:
        message = next(line for line in log.splitlines() if " CRITICAL: " in line)
        assert str(crawl.job.parent) in message
        assert "Check free space" in message
        assert "To resume" in message or "does not start" in message
    else:
        # Writes differ by some from run to run: the fault came when all was written.
        assert times or at > 0.8 * whole.writes, log
        assert "Spider closed (finished)" in log
    crawl.finish()
    crawl.check(whole, interruptions=1)


def test_a_disk_that_is_full_from_some_write_on_stops_the_crawl(tmp_path: Path) -> None:
    with keeping(tmp_path, SMALL, LD_PRELOAD=str(shim())) as kept:
        whole = kept.whole()
        starve(kept, whole, round(0.6 * whole.writes), errno.ENOSPC)


@pytest.mark.slow
@pytest.mark.parametrize(("times", "error"), [(0, errno.ENOSPC), (1, errno.EIO)])
def test_a_write_that_fails_anywhere_stops_the_crawl_or_does_no_harm(
    tmp_path: Path, times: int, error: int
) -> None:
    """From that write on, or that one alone."""
    with keeping(tmp_path, SMALL, LD_PRELOAD=str(shim())) as kept:
        whole = kept.whole()
        for at in range(1 + times, whole.writes + 1, 30):
            starve(kept, whole, at, error, times)


# -- feeds of JSON lines, after a kill and on a disk that takes nothing --


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
