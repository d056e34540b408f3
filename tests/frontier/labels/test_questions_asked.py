"""Questions to a person, and what is made of the answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from frontier.labels.label_file import Label, append_labels
from frontier.labels.questions import PROMPT, Question, ask, questions
from frontier.records import Sample
from frontier.store import Store, UrlRow
from frontier.topic.samples import draw_of
from tests.support.driven_crawl import (
    A,
    B,
    C,
    DrivenCrawl,
    Page,
    crawl_with_texts,
)
from tests.support.stored import stored_urls

PAGE = Question("http://a.example/", "A \x1b[2Jtitle", "Some\n text " * 500, 0.4375)
OTHER = Question("http://b.example/", "", "other", 1.0)


def hearing(*answers: str) -> Callable[[str], str]:
    waiting = list(answers)

    def hear(prompt: str) -> str:
        assert prompt == PROMPT
        if not waiting:
            raise EOFError
        return waiting.pop(0)

    return hear


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """A crawl that has kept the texts of A (relevance 0.75), B (0.25) and C (0.5)."""
    directory = tmp_path / "job"
    crawl_with_texts(directory)
    return directory


def test_the_least_sure_are_asked_about_first(job: Path) -> None:
    assert [one.url for one in questions(job, 5)] == [C, A, B]
    assert questions(job, 1) == [Question(C, "Page C", f"the text of {C}", 0.5)]


def test_what_was_labelled_is_not_asked_about_again(job: Path) -> None:
    append_labels(job, [Label(C, wanted=True)])
    assert [one.url for one in questions(job, 5)] == [A, B]


def test_every_fourth_page_is_one_drawn_by_chance(tmp_path: Path) -> None:
    urls = [f"http://a.example/{i}" for i in range(12)]
    crawl = DrivenCrawl(tmp_path, {A: Page(dict.fromkeys(urls, 0.5))}, strategy="bfs", topic="t")
    crawl.seed(A)
    crawl.run(1)
    crawl.close()
    with Store.open(tmp_path) as store:
        rows = [row for row in stored_urls(store) if row.url in urls]
        for row in rows:
            # The judge is sure of all but every second page, and no two say the same.
            text = "abcdefghijklmno"[row.url_id] * 5
            store.keep_sample(Sample(row.url_id, 0.5 * (row.url_id % 2), text))
    sure = {row.url for row in rows if row.url_id % 2 == 0}
    asked = [one.url for one in questions(tmp_path, 12)]
    assert sorted(asked) == sorted(urls)
    left = [row for row in rows if row.url not in asked[:3]]
    assert asked[3] == min(left, key=lambda row: drawn(row, 0.5 * (row.url_id % 2))).url
    assert not sure & set(asked[:3])
    append_labels(tmp_path, [Label(url, wanted=True) for url in asked[:10]])
    assert sorted(one.url for one in questions(tmp_path, 12)) == sorted(asked[10:])


def drawn(row: UrlRow, relevance: float) -> float:
    return draw_of(row.fingerprint, relevance)


def test_pages_drawn_at_random_are_asked_about_in_the_order_of_their_draws(job: Path) -> None:
    judged = {A: 0.75, B: 0.25, C: 0.5}
    with Store.open(job) as store:
        draws = {row.url: drawn(row, judged.get(row.url, 0.0)) for row in stored_urls(store)}
    order = sorted(judged, key=draws.__getitem__)
    assert [one.url for one in questions(job, 5, at_random=True)] == order
    assert [one.url for one in questions(job, 2, at_random=True)] == order[:2]
    append_labels(job, [Label(order[0], wanted=True)])
    assert [one.url for one in questions(job, 5, at_random=True)] == order[1:]


def test_answers_become_labels_as_they_are_given() -> None:
    said: list[str] = []
    answered = ask([PAGE, OTHER, PAGE, OTHER], said.append, hearing("Y\n", "skip", "no", "q"))
    assert next(answered) == Label(PAGE.url, wanted=True)
    assert said[:2] == ["", r"A \x1b[2Jtitle"]
    assert said[2:4] == [PAGE.url, "predicted relevance 0.4375 (0 to 1)"]
    assert said[4].startswith("Some text Some text")
    assert len(said[4]) == 600
    assert list(answered) == [Label(PAGE.url, wanted=False)]
