"""What makes a priority: numbers of a formula, parts of a sum, what was learned."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from frontier.formatting import number
from frontier.inspection import CrawlView
from frontier.inspection.explain.formulas import READS
from frontier.inspection.explain.records import Part
from frontier.inspection.text.explain import explain_text
from frontier.inspection.weights import weights_text
from ranking.orders import ORDERS, Order
from ranking.orders.base import Weight
from tests.support.driven_crawl import GONE, NEXT, A, B, C, Page
from tests.support.explained_crawl import SPOKEN, Clocked, crawl_of, explained
from tests.support.told import tells


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_says_what_its_formula_reads(tmp_path: Path, order: str) -> None:
    crawl_of(tmp_path, 3, strategy=order, rerank_min_pages=1).close()
    said = explained(tmp_path, C)
    assert (said.strategy, said.formula) == (order, ORDERS[order].formula)
    assert said.parts
    assert all(part.words for part in said.parts)


def test_only_orders_that_exist_are_told_of() -> None:
    assert set(READS) <= set(ORDERS)


def has_parts(directory: Path, url: str, *facts: tuple[object, ...]) -> None:
    """Demand so many parts, each with the figures and names of its formula."""
    for part, expected in zip(explained(directory, url).parts, facts, strict=True):
        assert tells([part.words], *expected), part


def test_the_numbers_of_the_default_formula(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, 3, strategy="relevance-ppr", rerank_min_pages=1)
    scores = crawl.backend.driver.order.scores
    ratio = scores["score"][4] / scores["pagerank"][4]
    crawl.close()
    assert [part.value for part in explained(tmp_path, C).parts] == pytest.approx(
        [0.5, 1.0, ratio], rel=1e-6
    )
    has_parts(tmp_path, C, (0.5, 2, 0.5833), (1,), ("topic-ppr", f"{ratio:.4g}", "pagerank"))


def test_a_link_score_is_put_beside_those_of_the_frontier(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, 1, strategy="ppr", rerank_min_pages=1, topic="")
    score = crawl.backend.driver.order.scores["score"].copy()
    crawl.close()
    times = score[1] / score[1:].mean()
    has_parts(tmp_path, B, (1,), (f"{score[1]:.4g}", number(times)))


SIMILARITY, ANCHOR, CONTEXT, ADDRESS = 0.4, 0.2, 0.8, 0.0


@pytest.mark.parametrize(
    ("order", "values"),
    [
        ("best-first", [SIMILARITY]),
        ("anchor-only", [ANCHOR]),
        ("anchor-parent", [SIMILARITY, ANCHOR, CONTEXT, ADDRESS]),
        ("shark", [SIMILARITY, ANCHOR, CONTEXT]),
    ],
)
def test_orders_that_read_words_tell_the_numbers(
    tmp_path: Path, order: str, values: list[float]
) -> None:
    crawl_of(tmp_path, 1, SPOKEN, strategy=order).close()
    assert [part.value for part in explained(tmp_path, C).parts] == pytest.approx(values)
    has_parts(tmp_path, C, *((number(value),) for value in values))


class Counted(Order):
    """A sum whose weights are learned."""

    name = "counted"
    summary = source = when = "In a test."
    formula = "depth(v) + w n(v)"

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.weight = 3.0

    def learn(self, page: int, row: Any, relevance: float) -> None:
        self.weight += 1.0 if row is not None else 0.0

    def row(self, page: int, evidence: Any) -> Any:
        if evidence.seed[page]:
            return None
        return np.array([evidence.depth[page], evidence.in_links[page]], np.float32)

    def value(self, ids: Any, evidence: Any) -> Any:
        return sum(self.contributions(ids, evidence).values())

    def contributions(self, ids: Any, evidence: Any) -> dict[str, Any]:
        return self._parts(evidence.depth[ids].astype(float), evidence.in_links[ids])

    def row_contributions(self, row: Any) -> dict[str, float]:
        return self._parts(*row.tolist())

    def _parts(self, depth: Any, links: Any) -> dict[str, Any]:
        return {"links from a seed": depth, "pages that link to it": self.weight * links}

    def weights(self) -> list[Weight]:
        return [
            Weight("depth", "links from a seed", 1.0, 0.75),
            Weight("links", "pages that link to it", self.weight, 0.5),
            Weight("age", "how long it is known", -2.0, 0.25),
        ]


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(ORDERS, Counted.name, Counted)
    return Counted.name


def test_an_order_that_is_a_sum_tells_its_parts_and_what_is_usual(
    tmp_path: Path, counted: str
) -> None:
    """Of B, C and GONE only C has two links; seeds teach nothing."""
    web = {A: Page({B: 0.5, C: 0.5, GONE: 0.5}, 0.5), NEXT: Page({C: 0.5}, 0.5)}
    crawl = Clocked(tmp_path, web, strategy=counted, topic="t")
    crawl.seed(A, NEXT)
    crawl.run(2)
    crawl.close()
    said = explained(tmp_path, C)
    assert (said.parts_add, said.parts_then) == (True, False)
    assert [(part.words, part.value, part.usual) for part in said.parts] == [
        ("pages that link to it", 6.0, 4.0),
        ("links from a seed", 1.0, 1.0),
    ]
    assert sum(part.value or 0 for part in said.parts) == said.priority
    lines = explain_text(said)
    assert tells(lines, "+6.0000", "+4.0000", "pages that link to it")
    assert tells(lines, "+1.0000", "+1.0000", "links from a seed")


def test_parts_that_matter_less_are_counted(tmp_path: Path, counted: str) -> None:
    crawl_of(tmp_path, 1, strategy=counted).close()
    said = explained(tmp_path, B)
    many = tuple(Part(f"part {number}", 1.0 + number, 0.5) for number in range(15))
    lines = explain_text(replace(said, parts=many))
    assert tells(lines, 3, "--json")
    assert tells(lines, "+12.0000", "+0.5000", "part 11")
    assert not tells(lines, "part 12")


def test_what_was_known_at_the_hand_out_is_weighed_by_what_is_learned_now(
    tmp_path: Path, counted: str
) -> None:
    """B was handed out with one link to it, for 1 + 3; since then C links to it as well."""
    web = {A: Page({B: 0.5, C: 0.5}, 0.5), B: Page({}, 0.5), C: Page({B: 0.5}, 0.5)}
    crawl_of(tmp_path, 3, web, strategy=counted).close()
    said = explained(tmp_path, B)
    assert (said.parts_add, said.parts_then, said.priority) == (True, True, 4.0)
    assert {part.words: part.value for part in said.parts} == {
        "links from a seed": 1.0,
        "pages that link to it": 5.0,
    }
    lines = explain_text(said)
    [line] = [line for line in lines if tells([line], "+5.0000")]
    assert line.split(maxsplit=1)[1] == "pages that link to it"  # what is usual is of now


def test_what_was_learned_is_told_largest_first(tmp_path: Path, counted: str) -> None:
    web = {A: Page({B: 0.5, C: 0.5}, 0.5), B: Page({}, 0.5), C: Page({}, 0.5)}
    crawl_of(tmp_path, 3, web, strategy=counted).close()
    with CrawlView.open(tmp_path) as view:
        said = view.weights()
    assert (said.strategy, said.learns, said.pages) == (counted, True, 2)
    assert [(one.name, one.value) for one in said.weights] == [
        ("links", 5.0),
        ("age", -2.0),
        ("depth", 1.0),
    ]
    lines = weights_text(said)
    assert tells(lines[:1], counted, 2)
    judgements = set()
    for value, deviation, words in (
        ("+5.0000", "0.5000", "pages that link to it"),
        ("-2.0000", "0.2500", "how long it is known"),
        ("+1.0000", "0.7500", "links from a seed"),
    ):
        [line] = [line for line in lines if tells([line], words)]
        assert line.split()[:2] == [value, deviation]
        assert line.endswith(words)
        judgements.add(line.split()[2])
    assert len(judgements) == 3  # for, against, too uncertain to say


@pytest.mark.parametrize(("steps", "pages"), [(1, 0), (2, 1)])
def test_how_many_pages_taught_is_told(
    tmp_path: Path, counted: str, steps: int, pages: int
) -> None:
    """A seed is handed out before anything is known of it, and teaches nothing."""
    crawl_of(tmp_path, steps, {A: Page({B: 0.5}, 0.5), B: Page({}, 0.5)}, strategy=counted).close()
    with CrawlView.open(tmp_path) as view:
        said = view.weights()
    assert said.pages == pages
    assert tells(weights_text(said)[:1], counted, *([pages] if pages else []))


class Given(Counted):
    """The same sum with weights that stay as they are."""

    name = "given"
    learns = False


def test_weights_that_were_given_are_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ORDERS, Given.name, Given)
    crawl_of(tmp_path, 2, strategy=Given.name).close()
    with CrawlView.open(tmp_path) as view:
        said = view.weights()
    assert (said.learns, said.pages, len(said.weights)) == (False, 0, 3)
    lines = weights_text(said)
    assert tells(lines[:1], "given")
    assert tells(lines, "+3.0000", "0.5000", "pages that link to it")


def test_a_strategy_that_does_not_learn_says_so_and_names_those_that_do(
    tmp_path: Path, counted: str
) -> None:
    crawl_of(tmp_path, 3, strategy="dfs").close()
    with CrawlView.open(tmp_path) as view:
        said = view.weights()
    assert (said.learns, said.pages, said.weights) == (False, 0, ())
    lines = weights_text(said)
    for fact in ("dfs", ORDERS["dfs"].summary, ORDERS["dfs"].formula, counted):
        assert tells(lines, fact)


@pytest.mark.parametrize("order", ["ppr", "hits", "apprentice"])
def test_scores_before_and_after_the_last_re_rank(tmp_path: Path, order: str) -> None:
    """Also of orders that save the scores of now: pages handed more on since the re-rank."""
    topic = "pages" if order == "apprentice" else ""
    crawl = crawl_of(tmp_path, 0, strategy=order, rerank_min_pages=1, topic=topic)
    strategy = crawl.backend.driver
    while strategy.epoch < 2:
        before = strategy.order.scores["score"].copy()
        handed = crawl.hand_out()
        after = strategy.order.scores["score"].copy()
        crawl.answer(handed)
    crawl.close()
    said = explained(tmp_path, B)
    assert said.epoch == 2
    assert said.score_after == pytest.approx(after[1], rel=1e-6)
    assert said.score_before == pytest.approx(before[1], rel=1e-6)
    lines = explain_text(said)
    assert tells(lines, 2, number(said.score_before))
    assert tells(lines, 2, number(said.score_after))


def test_scores_of_a_strategy_that_was_changed_are_not_told_as_those_of_before(
    tmp_path: Path,
) -> None:
    crawl_of(tmp_path, 6, strategy="ppr", rerank_min_pages=1).close()
    assert explained(tmp_path, B).score_before is not None
    crawl_of(tmp_path, 0, strategy="hits", accept_changes=True).close()
    assert explained(tmp_path, B).score_before is None


LEARNED = {
    A: Page({B: 0.5, C: 0.25}, 0.75, similarity=0.5, cues={B: (255, 0, 0), C: (0, 51, 0)}),
    B: Page({NEXT: 0.5}, 0.75, cues={NEXT: (204, 0, 0)}),
    C: Page({GONE: 0.0}, 0.0),
}


def test_the_apprentice_tells_its_sum(tmp_path: Path) -> None:
    crawl_of(tmp_path, 2, LEARNED, strategy="apprentice", rerank_min_pages=1).close()
    said = explained(tmp_path, NEXT)
    assert (said.parts_add, said.parts_then) == (True, False)
    assert sum(part.value or 0 for part in said.parts) == pytest.approx(said.priority)
    spread = [part.telling for part in said.parts]
    assert spread == sorted(spread, reverse=True)


def test_the_apprentice_tells_what_it_knew_at_the_hand_out(tmp_path: Path) -> None:
    """With the weights of then, which one page does not change, only the chance of an answer,
    exploration and menus are missing.
    """
    crawl_of(tmp_path, 2, LEARNED, strategy="apprentice").close()
    said = explained(tmp_path, B)
    assert (said.parts_add, said.parts_then) == (True, True)
    words = {part.words for part in said.parts}
    assert len({part.words for part in explained(tmp_path, C).parts} - words) == 3
    told = sum(part.value or 0 for part in said.parts)
    assert said.priority is not None
    assert 0 < said.priority - told <= 0.1 + 0.03 + 1e-6, (
        "bonuses of a host and a folder where nothing was tried"
    )


def test_what_the_apprentice_learned_is_told(tmp_path: Path) -> None:
    crawl_of(tmp_path, 4, LEARNED, strategy="apprentice").close()
    with CrawlView.open(tmp_path) as view:
        said = view.weights()
    assert (said.learns, said.pages) == (True, 2)
    sizes = [abs(weight.value) for weight in said.weights]
    assert sizes == sorted(sizes, reverse=True)
    assert tells(weights_text(said)[:1], "apprentice", 2)
