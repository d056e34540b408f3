"""A crawl that an earlier revision left behind goes on as that revision would have gone on."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from frontier.recovery.check import check
from frontier.store import StoreReader
from frontier.store.keys import IDENTITY
from frontier.web.demo.site import DemoWeb
from frontier.web.serving import served
from tests.support.scrapy_runs import run_focused
from tests.support.told import tells

LEFT = Path(__file__).parent / "crawl_of_1da5291.sql"
"""Written by the revision before modules moved: strategy and topic model are stored by name."""
TOPIC = "astronomy telescopes planets stars galaxies"
SEEDS = "http://observatory.example/"
BEFORE = 5
"""Pages that it had fetched."""
NEXT = {
    "http://stargazers.example/guide/the-complete-guide-to-exoplanets": 0.647042,
    "http://observatory.example/guide/the-complete-guide-to-variable-stars": 0.707533,
    "http://stargazers.example/guide/the-complete-guide-to-supernova-remnants": 0.659723,
    "http://observatory.example/articles/why-spiral-galaxies-are-never-luminous-enough": 0.727217,
    "http://stargazers.example/": 0.778408,
}
"""What that revision fetched next when it was resumed, and the relevance it gave."""


@pytest.fixture
def left(tmp_path: Path) -> Path:
    directory = tmp_path / "left"
    directory.mkdir()
    with closing(sqlite3.connect(directory / "frontier.sqlite")) as connection:
        connection.executescript(LEFT.read_text(encoding="utf-8"))
    return directory


def test_the_same_pages_come_next_with_the_same_relevance(left: Path, tmp_path: Path) -> None:
    assert check(left).intact
    with served(DemoWeb()) as proxy:
        run = run_focused(
            tmp_path,
            *("-a", f"seeds={SEEDS}", "-a", f"topic={TOPIC}", "-a", "strategy=topic-ppr"),
            *("-s", f"JOBDIR={left}", "-s", f"CLOSESPIDER_PAGECOUNT={len(NEXT) + 3}"),
            proxy=proxy.url,
        )
    assert run.returncode == 0, run.log
    with StoreReader.open(left) as reader:
        urls = [row.url for row in reader.iter_urls()]
        fetched = [(urls[row.url_id], row.relevance) for row in reader.iter_pages()]
        identity = reader.settings()[IDENTITY]
    found = dict(fetched[BEFORE : BEFORE + len(NEXT)])
    assert list(found) == list(NEXT)
    assert found == pytest.approx(NEXT, abs=1e-6)
    assert len(fetched) == len(dict(fetched)), "nothing is fetched again"
    assert (identity["strategy"], identity["topic model"]) == (
        "topic-ppr",
        "ranking.topics.tfidf.TfidfTopic",
    )


def test_another_strategy_is_refused_by_the_name_that_was_stored(
    left: Path, tmp_path: Path
) -> None:
    given = ("-a", f"seeds={SEEDS}", "-a", f"topic={TOPIC}", "-s", f"JOBDIR={left}")
    run = run_focused(tmp_path, *given)
    assert run.returncode == 1
    assert tells(run.log, "strategy", "'topic-ppr'", "'apprentice'")
