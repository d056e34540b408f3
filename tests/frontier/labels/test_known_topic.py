"""The topic of a crawl: fitted once, then what is stored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from frontier.labels.learning import fitted_topic, known_topic
from tests.support.driven_crawl import A, DrivenCrawl, Page

WEB = {A: Page({}, 0.5)}


def test_a_crawl_goes_on_with_what_it_learned_whatever_table_is_there_now(tmp_path: Path) -> None:
    crawl = DrivenCrawl(tmp_path, WEB, strategy="apprentice", topic="volcano lava")
    fitted = fitted_topic(replace(crawl.config, vectors="off"), crawl.backend, [], [])
    crawl.close()

    resumed = DrivenCrawl(tmp_path, WEB, strategy="apprentice", topic="volcano lava")
    for vectors in ("off", "built-in", "/no/such/folder"):
        model = known_topic(replace(resumed.config, vectors=vectors), resumed.backend)
        assert model is not None
        assert model.state() == fitted.state()
    resumed.close()
