from __future__ import annotations

import pytest

from frontier.config import CrawlConfig
from frontier.lab.replay.contestants import Setup
from frontier.lab.replay.simulated_fetcher import Politeness
from frontier.lab.report.regret import (
    BATCHING,
    CAUSES,
    POLITENESS,
    REPLAYS,
    STALENESS,
    regret_of,
    with_causes,
)
from tests.frontier.lab.lab_runs import record

CONFIGURED = Politeness(concurrency=16, per_host=2, delay=0.5, latency=0.1)
SETUP = Setup(CrawlConfig(rerank_pages=500, rerank_min_pages=20), politeness=CONFIGURED)


@pytest.mark.parametrize(
    ("causes", "politeness"),
    [
        ((), Politeness(1, 1, 0.0, 0.1)),
        ((POLITENESS,), Politeness(1, 2, 0.5, 0.1)),
        ((BATCHING,), Politeness(16, 16, 0.0, 0.1)),
        ((STALENESS,), Politeness(1, 1, 0.0, 0.1)),
        (CAUSES, CONFIGURED),
    ],
)
def test_each_cause_puts_back_what_is_its_own(
    causes: tuple[str, ...], politeness: Politeness
) -> None:
    made = with_causes(SETUP, causes, CONFIGURED)

    assert made.politeness == politeness
    intervals = made.config.rerank_pages, made.config.rerank_min_pages
    assert intervals == ((500, 20) if STALENESS in causes else (1, 1))


def test_losses_by_cause_add_up_to_the_total() -> None:
    texts = {
        "ideal": "hhhhpppppp",
        "politeness": "hhppppppph",
        "batching": "hhhhpppppp",
        "staleness": "hhpppppppp",
        "as configured": "hppppppppp",
    }
    assert texts.keys() == REPLAYS.keys()
    replays = {name: [record(text), record(text, draw=1)] for name, text in texts.items()}
    replays["ideal"].append(record("hhhhpppppp", draw=2))
    (regret,) = regret_of(replays)
    assert regret.tasks == 2
    assert (regret.ideal, regret.found) == (4, 1)
    assert regret.lost == {"politeness": 1, "batching": 0, "staleness": 2, "together": 0}
    area = regret.area
    assert area["politeness"] == pytest.approx((8 + 7 - 1) / 40)
    assert sum(area.values()) == pytest.approx((34 - 10) / 40)
