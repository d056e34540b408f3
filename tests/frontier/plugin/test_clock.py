"""A clock that jumps by a day, between runs or during one, holds nothing up and changes nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from frontier.states import State
from frontier.store import StoreReader
from tests.support.kept import Kept, anew, keeping, shim
from tests.support.sites import Answer, Asked
from tests.support.states import states_of

DAY = 86_400
PAGES = 10
LONG = 1000.0
"""Seconds after which a crawl is killed that waits for a clock; none of them needs a minute."""


@pytest.mark.slow
@pytest.mark.parametrize("jump", [DAY, -DAY])
def test_a_clock_that_jumps_costs_nothing(tmp_path: Path, jump: int) -> None:
    with keeping(tmp_path, PAGES, LD_PRELOAD=str(shim())) as kept:
        _answer_late(kept, 0.3, *kept.site.pages)  # some are in flight whenever the clock jumps
        whole = kept.whole()

        during = anew(kept, "during")
        assert _jumping(during, jump) == 0, during.log
        during.finish()
        during.check(whole, interruptions=0)

        between = anew(kept, "between")
        between.fault("kill", round(0.5 * whole.writes), FAULT_SHIFT=str(jump))
        between.finish()
        between.check(whole, interruptions=1)


@pytest.mark.slow
def test_a_clock_that_is_set_back_prolongs_no_time_limit(tmp_path: Path) -> None:
    limits = ("-s", "DOWNLOAD_TIMEOUT=2", "-s", "RETRY_TIMES=0")
    with keeping(tmp_path, PAGES, *limits, LD_PRELOAD=str(shim())) as kept:
        _answer_late(kept, 15, "/0")
        assert _jumping(kept, -DAY) == 1, kept.log  # nothing is fetched
        with StoreReader.open(kept.job) as reader:
            assert states_of(reader) == [State.ERROR]


def test_a_clock_that_is_set_back_prolongs_no_delay(tmp_path: Path) -> None:
    with keeping(tmp_path, 5, "-s", "DOWNLOAD_DELAY=0.3", LD_PRELOAD=str(shim())) as kept:
        assert _jumping(kept, -DAY) == 0, kept.log
        assert len(kept.site.paths) == 5


def _jumping(kept: Kept, jump: int) -> int:
    """Run with a clock that jumps about when half of the pages are there."""
    return kept.start(FAULT_SHIFT=str(jump), FAULT_SHIFT_AFTER="1").wait(LONG)


def _answer_late(kept: Kept, seconds: float, *paths: str) -> None:
    def late(answer: Answer) -> Answer:
        def wait(asked: Asked) -> Answer:
            time.sleep(seconds)
            assert isinstance(answer, str)
            return 200, {"Content-Type": "text/html"}, answer.encode()

        return wait

    for path in paths:
        kept.site.pages[path] = late(kept.site.pages[path])
