"""A crawl that is killed at any write goes on as if nothing had happened."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.support.kept import (
    AT_A_TIME,
    TURNS,
    Kept,
    Whole,
    anew,
    in_turns_of,
    in_two,
    keeping,
    shim,
)

SMALL = 6


def kill_at(kept: Kept, whole: Whole, kind: str, at: int) -> None:
    crawl = anew(kept, f"{kind}{at}")
    assert crawl.fault(kind, at) in (-signal.SIGKILL, 0), crawl.log
    crawl.finish()
    crawl.check(whole, interruptions=1)


@pytest.mark.parametrize("turn", TURNS)
def test_killed_at_some_writes_a_crawl_is_whole_after_the_next_run(
    tmp_path: Path, turn: int
) -> None:
    with keeping(tmp_path, SMALL, *in_turns_of(turn), LD_PRELOAD=str(shim())) as kept:
        whole = kept.whole()
        assert len(whole.paths) == SMALL
        assert whole.writes > 50
        for share in (0.3, 0.6, 0.97):
            kill_at(kept, whole, "kill", round(share * whole.writes))
        kill_at(kept, whole, "tear", round(0.7 * whole.writes))


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("turn", TURNS)
def test_killed_at_any_write_a_crawl_is_whole_after_the_next_run(tmp_path: Path, turn: int) -> None:
    """Before each write that a short crawl makes, and in the middle of every eighth."""

    def kill(worker: int) -> None:
        with keeping(
            tmp_path / str(worker), SMALL, *in_turns_of(turn), LD_PRELOAD=str(shim())
        ) as kept:
            whole = kept.whole()
            for at in range(1 + worker, whole.writes + 1, AT_A_TIME):
                kill_at(kept, whole, "kill", at)
                if at % 8 < AT_A_TIME:
                    kill_at(kept, whole, "tear", at)

    in_two(kill)
