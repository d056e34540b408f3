"""What a crawl says of its topic before the first page."""

from __future__ import annotations

from pathlib import Path

from frontier.labels.learning import doubts, fitted_topic, known_topic, opening
from tests.support.driven_crawl import A, DrivenCrawl, Page
from tests.support.told import tells

BUILT_IN = "English words (all-MiniLM-L6-v2, built in)"


def said(folder: Path, topic: str, vectors: str) -> tuple[str, list[str]]:
    """The first line of a crawl and what is asked of its topic; the same when it is resumed."""
    crawl = DrivenCrawl(folder, {A: Page({}, 0.5)}, strategy="bfs", topic=topic, vectors=vectors)
    model = fitted_topic(crawl.config, crawl.backend, [], [])
    crawl.seed(A)
    crawl.run(1)
    first = opening(crawl.config, crawl.backend, model), doubts(model)
    crawl.close()
    crawl = DrivenCrawl(folder, {A: Page({}, 0.5)}, strategy="bfs", topic=topic, vectors=vectors)
    known = known_topic(crawl.config, crawl.backend)
    again = opening(crawl.config, crawl.backend, known), doubts(known)
    assert again == (again[0], first[1])
    assert again[0].replace("; resumed with 1 pages", "") == first[0] != again[0]
    crawl.close()
    return first


def test_topic_table_strategy_and_directory_are_told(tmp_path: Path) -> None:
    line, asked = said(tmp_path, "the volcanoes of Rome", "built-in")
    assert line == (
        f"topic: volcanoes, Rome; 0 examples; vectors {BUILT_IN}; strategy bfs; JOBDIR {tmp_path}"
    )
    assert asked == []
    line, _ = said(tmp_path / "off", "volcanoes", "off")
    assert tells(line, "vectors none; strategy")


def test_a_topic_foreign_to_the_table_goes_by_words_and_says_so(tmp_path: Path) -> None:
    line, asked = said(tmp_path, "火山", "built-in")
    assert tells(line, "vectors none", BUILT_IN)
    assert asked == []


def test_a_word_that_no_table_knows_is_asked_about(tmp_path: Path) -> None:
    _, asked = said(tmp_path, "astronmy, kubernetes", "built-in")
    assert len(asked) == 1
    assert tells(asked, '"astronmy"', '"astronomy"')


def test_a_word_whose_endings_nobody_knows_is_asked_about(tmp_path: Path) -> None:
    _, asked = said(tmp_path, "მთვარე, Katze, кошка, хоккей, 火山, 화산", "off")
    assert len(asked) == 1
    assert tells(asked, '"მთვარე"', "plural")


def test_models_of_others_say_nothing_of_tables(tmp_path: Path) -> None:
    crawl = DrivenCrawl(tmp_path, {A: Page({}, 0.5)}, topic="volcanoes")
    assert "vectors" not in opening(crawl.config, crawl.backend, object())  # type: ignore[arg-type]
    assert doubts(object()) == doubts(None) == []  # type: ignore[arg-type]
    crawl.close()
