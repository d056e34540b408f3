"""Scores of a re-rank are saved for the next run, as often as fetched pages pay for it."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import numpy as np

from frontier.backend import saved_scores
from frontier.backend.saved_scores import SavedScores
from frontier.store import StoreReader, schema
from tests.support.driven_crawl import WEB, A, DrivenCrawl, small_crawl

SCORE = f"{schema.SCORES}score"


def scores_of(crawl: DrivenCrawl) -> SavedScores:
    backend = crawl.backend
    return SavedScores(backend.store, backend.ledger, backend.driver)


def test_saved_scores_are_those_of_the_order_with_their_epoch(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path, strategy="ppr")
    driver = crawl.backend.driver
    scores_of(crawl).save()
    crawl.backend.commit()
    with StoreReader.open(tmp_path) as reader:
        saved = reader.load_array(SCORE)
        names = reader.settings()[schema.SCORES]
    assert saved is not None
    assert saved[0] == driver.epoch
    np.testing.assert_array_equal(saved[1], driver.order.state_arrays()["score"])
    assert names == sorted(driver.order.state_arrays())
    crawl.close()


def test_an_order_without_scores_saves_none(tmp_path: Path) -> None:
    crawl = small_crawl(tmp_path, strategy="bfs")
    crawl.close()
    with StoreReader.open(tmp_path) as reader:
        assert reader.settings()[schema.SCORES] == []


def test_a_crawl_that_nobody_goes_on_with_saves_none() -> None:
    crawl = small_crawl(None, strategy="ppr")
    with patch.object(crawl.backend.store, "save_array") as save_array:
        scores_of(crawl).save()
    assert not save_array.called
    crawl.close()


def test_scores_are_due_when_enough_pages_were_fetched_since_the_last_time(tmp_path: Path) -> None:
    crawl = DrivenCrawl(tmp_path, WEB, strategy="ppr")
    crawl.seed(A)
    scores, saved = scores_of(crawl), list[int]()
    with (
        patch.object(saved_scores, "_URLS_A_PAGE", 3),
        patch.object(scores, "save", lambda: saved.append(len(crawl.backend.ledger))),
    ):
        crawl.run(1)
        scores.save_due()
        assert saved == []  # 4 URLs are known by 1 page
        crawl.run(1)
        scores.save_due()
        scores.save_due()
        assert saved == [5]  # by 2 pages, and none more since
    crawl.close()
