"""A clock that jumps by a day, between runs or during one, holds nothing up and changes nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from kept import anew, keeping, shim

DAY = 86_400
PAGES = 10


@pytest.mark.slow
@pytest.mark.parametrize("jump", [DAY, -DAY])
def test_a_clock_that_jumps_costs_nothing(tmp_path: Path, jump: int) -> None:
    with keeping(tmp_path, PAGES, LD_PRELOAD=str(shim())) as kept:
        whole = kept.whole()

        during = anew(kept, "during")
        began = time.monotonic()
        shift = {"FAULT_SHIFT": str(jump), "FAULT_SHIFT_AFTER": "0.4"}
        assert during.start(**shift).wait() == 0, during.log
        assert time.monotonic() - began < 30
        during.finish()
        during.check(whole, interruptions=0)

        between = anew(kept, "between")
        between.fault("kill", round(0.5 * whole.writes), FAULT_SHIFT=str(jump))
        between.finish()
        between.check(whole, interruptions=1)
