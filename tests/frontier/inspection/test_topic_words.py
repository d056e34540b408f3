"""The words of pages and links that count for the topic, as an explanation shows them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from frontier.config import DEFAULT_TOPIC_MODEL
from frontier.inspection.explain.records import Explanation
from frontier.inspection.text.explain import explain_text
from frontier.labels.known_topic import fitted_topic
from ranking.topics import TfidfTopic
from tests.support.driven_crawl import A, B, DrivenCrawl, Page
from tests.support.explained_crawl import explained
from tests.support.told import tells

TEXT = "The locomotive stands beside the railway; a tram has left. Locomotives are heavy."
WEB = {A: Page({B: 0.5}, 0.75, "Railways", anchors={B: "Old locomotives"}), B: Page({}, 0.25)}


def crawl(folder: Path, text: str = TEXT, **config: Any) -> tuple[Explanation, Explanation]:
    """What is said of a page that was fetched, and of one that it links to."""
    driven = DrivenCrawl(folder, WEB, topic="railway", vectors="built-in", **config)
    if driven.config.topic_model == DEFAULT_TOPIC_MODEL:
        fitted_topic(driven.config, driven.backend, [], [])
    driven.seed(A)
    driven.run(1)
    driven.backend.samples.offer(0, 1, 0.75, text)
    driven.close()
    return explained(folder, A), explained(folder, B)


def model() -> TfidfTopic:
    model = TfidfTopic("built-in")
    model.fit("railway", ())
    return model


def test_words_of_a_page_add_up_to_its_relevance(tmp_path: Path) -> None:
    page, _ = crawl(tmp_path)
    words = {part.words: part.value for part in page.topic_words}
    assert list(words)[:3] == ["railways", "locomotive ~ railway", "tram ~ railway"]
    share = math.fsum(value or 0.0 for value in words.values()) ** 2
    assert share / (share + 1) == pytest.approx(model().relevance(TEXT, "Railways"))
    (line,) = (line for line in explain_text(page) if "Topic words" in line)
    first = f"railways {words['railways']:+.2f}, locomotive ~ railway"
    assert tells(line, ".5", first)
    assert "locomotiv " not in line


def test_words_of_a_link_add_up_to_its_promise(tmp_path: Path) -> None:
    _, target = crawl(tmp_path)
    (carrier,) = target.carriers
    assert [part.words for part in carrier.topic_words] == ["locomotives ~ railway"]
    odds = math.fsum(part.value or 0.0 for part in carrier.topic_words)
    promise = model().promise("Old locomotives", carrier.context or "", B)
    assert odds / (odds + 1) == pytest.approx(promise)
    assert tells(explain_text(target), "locomotives ~ railway", f"{odds:+.2f}")
    assert target.topic_words == ()  # it was not fetched
    assert json.loads(json.dumps(carrier.as_dict()))["topic_words"][0]["value"] == odds


def test_without_the_text_of_a_page_or_words_for_the_topic_none_are_shown(tmp_path: Path) -> None:
    for number, text in enumerate(("", "Xyzzyx plugh.")):
        page, _ = crawl(tmp_path / str(number), text)
        assert page.topic_words == ()
        assert not tells(explain_text(page), "Topic words")


def test_of_a_model_of_others_nothing_is_known(tmp_path: Path) -> None:
    page, target = crawl(tmp_path, topic_model="skies.topics.WordShare")
    assert page.topic_words == target.carriers[0].topic_words == ()


def test_a_long_list_is_cut_for_people(tmp_path: Path) -> None:
    more = "railroad tramway freight viaduct expressway midland electrification"
    page, _ = crawl(tmp_path, f"{TEXT} {more}")
    (line,) = (line for line in explain_text(page) if "Topic words" in line)
    assert line.count(" +") == 6 < len(page.topic_words)
    assert f"and {len(page.topic_words) - 6} more" in line
