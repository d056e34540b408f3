"""Which seeds teach: those that are about the words, as far as other pages show."""

from __future__ import annotations

import logging
from dataclasses import fields
from pathlib import Path

import pytest

from frontier.backend.backend import LinkRankBackend
from frontier.config import CrawlConfig
from frontier.labels.seed_examples import MOST, YOUNG, SeedExamples, share_above
from frontier.records import HandedOut, PageRecord, UrlRecord
from frontier.states import State
from frontier.store.keys import SEED_EXAMPLES
from frontier.topic.relevance import plain_link
from tests.support.driven_crawl import FETCHED

_OF_URL = [one.name for one in fields(UrlRecord)]
ABOUT = [
    f"comet number {n}\nA comet has a tail of dust and ice, and comets come back" for n in "123"
]
ELSE = [f"bread number {n}\nFlour, water and salt make a loaf that is baked" for n in "123"]
NEAR = [f"sky number {n}\nThe sky at night: stars, planets, and once a comet" for n in "123"]


class Crawl:
    """A backend whose seeds are told one by one."""

    def __init__(self, directory: Path, **config: object) -> None:
        settings = CrawlConfig(
            **{"topic": "comet tail", "directory": directory, "seed_examples": True, **config}
        )  # type: ignore[arg-type]  # any field
        self.backend = LinkRankBackend(settings)
        self.examples = SeedExamples(self.backend, settings)
        self._told = 0

    def tell(self, *texts: str, seed: bool = True) -> None:
        for text in texts:
            self._told += 1
            page = PageRecord(url_id=self._told, state=State.CRAWLED, fetched=FETCHED)
            url = f"http://a.example/{self._told}"
            known = plain_link(url, self._told, url, 0)
            known.url_id = self._told
            handed = HandedOut(**{name: getattr(known, name) for name in _OF_URL}, page=page)
            handed.seed = seed
            self.examples.note(handed, text)

    @property
    def taught(self) -> list[str]:
        return list(self.backend.setting(SEED_EXAMPLES) or [])


def test_seeds_about_the_words_teach_and_the_log_says_how_many(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    crawl = Crawl(tmp_path)
    crawl.tell(*ABOUT)
    with caplog.at_level(logging.INFO):
        assert crawl.examples.choose([*ABOUT, *NEAR, *ELSE])
    assert crawl.taught == ABOUT
    assert "3 of 3 start URLs" in caplog.text
    assert not crawl.examples.choose([*ABOUT, *NEAR, *ELSE])  # nothing new
    crawl.backend.frontier_stop()


def test_seeds_about_something_else_teach_nothing(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.tell(*ELSE)
    assert not crawl.examples.choose([*ELSE, *NEAR, *ABOUT])
    assert crawl.taught == []
    crawl.backend.frontier_stop()


def test_where_nothing_says_any_of_the_words_no_seed_teaches(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.tell(*ELSE)
    assert not crawl.examples.choose([*ELSE, "blank\nNothing is here but links"])
    assert crawl.taught == []
    crawl.backend.frontier_stop()


def test_of_seeds_that_agree_those_about_other_things_are_left_out(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.tell(*ABOUT, ELSE[0])
    assert crawl.examples.choose([*ELSE[1:], *NEAR])
    assert crawl.taught == ABOUT
    crawl.backend.frontier_stop()


def test_seeds_that_fall_behind_what_the_crawl_finds_are_taught_no_more(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.tell(*NEAR)
    assert crawl.examples.choose([*NEAR, *ELSE])
    assert crawl.taught == NEAR
    assert crawl.examples.choose([*NEAR, *ELSE[:1], *ABOUT])
    assert crawl.taught == []
    crawl.backend.frontier_stop()


def test_it_stays_decided_once_the_crawl_is_not_young_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = Crawl(tmp_path)
    crawl.tell(*ABOUT)
    monkeypatch.setattr("ranking.graph.link_graph.LinkGraph.n_pages", YOUNG + 1)
    assert not crawl.examples.choose([*ABOUT, "bread\nA loaf"])
    monkeypatch.setattr("ranking.graph.link_graph.LinkGraph.n_pages", YOUNG)
    assert crawl.examples.choose([*ABOUT, "bread\nA loaf"])
    crawl.backend.frontier_stop()


def test_one_seed_is_enough_and_without_other_pages_nobody_knows(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.tell(ABOUT[0])
    assert not crawl.examples.choose(ABOUT[:1])
    assert crawl.examples.choose([ABOUT[0], *ELSE])
    assert crawl.taught == ABOUT[:1]
    crawl.backend.frontier_stop()


@pytest.mark.parametrize("config", [{"examples": "given"}, {"seed_examples": False}, {"topic": ""}])
def test_a_crawl_with_examples_without_a_topic_or_by_setting_does_not_ask_its_seeds(
    tmp_path: Path, config: dict[str, object]
) -> None:
    crawl = Crawl(tmp_path, **config)
    crawl.tell(*ABOUT)
    assert not crawl.examples.choose([*ABOUT, *ELSE])
    crawl.backend.frontier_stop()


def test_pages_that_are_no_seeds_and_seeds_beyond_the_most_teach_nothing(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.tell(*ABOUT[:2], seed=False)
    many = [f"comet {n}\nA comet with a tail, and number {n}" for n in range(MOST + 5)]
    crawl.tell(*many)
    assert crawl.examples.choose([*many, *ELSE])
    assert crawl.taught == many[:MOST]
    crawl.backend.frontier_stop()


def test_a_resumed_crawl_knows_its_seeds_and_what_it_was_taught(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.tell(*ABOUT)
    crawl.examples.choose([*ABOUT, *ELSE])
    crawl.backend.frontier_stop()
    again = Crawl(tmp_path)
    assert again.taught == ABOUT
    assert not again.examples.choose([*ABOUT, *ELSE])
    again.backend.frontier_stop()


def test_the_share_of_pairs_counts_equal_ones_half() -> None:
    assert share_above([1.0, 3.0], [2.0, 3.0]) == pytest.approx((0 + 0 + 1 + 0.5) / 4)
