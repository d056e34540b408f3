"""A disk that takes no more stops a crawl in order; nothing that was known is lost."""

from __future__ import annotations

import errno
import threading
from pathlib import Path

import pytest

from tests.support.kept import Kept, Whole, anew, keeping, shim
from tests.support.sites import Asked, Page

PAGES = 6
ERRORS = [errno.ENOSPC, errno.EIO]


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
    with keeping(tmp_path, PAGES, LD_PRELOAD=str(shim())) as kept:
        whole = kept.whole()
        for share in (0.0, 0.6):
            starve(kept, whole, 1 + round(share * whole.writes), errno.ENOSPC)
        starve(kept, whole, round(0.55 * whole.writes), errno.EIO)


@pytest.mark.slow
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("times", [0, 1])
def test_a_write_that_fails_anywhere_stops_the_crawl_or_does_no_harm(
    tmp_path: Path, error: int, times: int
) -> None:
    """From that write on, or that one alone."""
    with keeping(tmp_path, PAGES, LD_PRELOAD=str(shim())) as kept:
        whole = kept.whole()
        for at in range(1 + times, whole.writes + 1, 18):
            starve(kept, whole, at, error, times)


@pytest.mark.slow
def test_slow_answers_do_not_hold_up_the_end(tmp_path: Path) -> None:
    """What is in flight is given up after a few seconds, and fetched by the next run."""

    ended = threading.Event()

    def slow(asked: Asked) -> Page:
        ended.wait(600)
        return 200, {"Content-Type": "text/html"}, b"late"

    with keeping(tmp_path, PAGES, LD_PRELOAD=str(shim())) as kept:
        kept.site.pages["/5"] = slow
        assert kept.fault("error", 70, FAULT_ERRNO=str(errno.ENOSPC)) == 1, kept.log
        ended.set()
        assert "Traceback" not in kept.log
        kept.finish()
        assert sorted(set(kept.items())) == sorted(kept.site.pages)
