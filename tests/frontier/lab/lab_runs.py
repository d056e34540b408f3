"""Records of lab runs for tests of the report, written out letter by letter."""

from __future__ import annotations

from frontier.lab.replay.records import RunKey, RunRecord


def record(
    outcomes: str,
    strategy: str = "bfs",
    topic: str = "birds",
    *,
    budget: int = 10,
    targets: int = 4,
    draw: int = 0,
    variant: str = "inside",
    web: str = "small",
) -> RunRecord:
    """A run that went as `outcomes` say."""
    return RunRecord(
        RunKey(web, variant, topic, draw, strategy),
        budget,
        targets,
        outcomes,
        tuple(range(len(outcomes))),
    )
