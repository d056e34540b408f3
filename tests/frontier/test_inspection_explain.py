"""Why a URL has its place: fetched, queued, failed, refused, never met."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driven_crawl import CLOSED, GONE, LATER, NEXT, OLD, WEB, A, B, C, DrivenCrawl, Page
from hypothesis import given, settings
from hypothesis import strategies as st

from frontier import ledger
from frontier import meta as key
from frontier.inspection import CrawlView
from frontier.inspection.explained import Explanation
from frontier.inspection.numbers import READS
from frontier.inspection.reader import CrawlReader
from frontier.inspection.text import number
from frontier.inspection.text_explain import explain_text, ordinal
from frontier.inspection.text_weights import weights_text
from frontier.inspection.words import LinkWords
from frontier.states import State
from frontier.store import REPEATED, TOPICAL, Links, PageRow, Said, Store
from ranking.orders import ORDERS, Order
from ranking.orders.base import Weight


class Clocked(DrivenCrawl):
    """A crawl whose hand-outs are timed by the clock of its answers."""

    now = 0.0

    def hand_out(self) -> Any:
        Clocked.now = self._now
        return super().hand_out()


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger.time, "time", lambda: Clocked.now)


def crawl_of(
    directory: Path | None, steps: int = 6, web: dict[str, Page] | None = None, **config: Any
) -> Clocked:
    config = {"strategy": "bfs", "topic": "pages", **config}
    crawl = Clocked(directory, WEB if web is None else web, **config)
    crawl.seed(A)
    crawl.run(steps)
    return crawl


def explained(directory: Path, url: str, shown: int = 5) -> Explanation:
    with CrawlView.open(directory) as view:
        return view.explain(url, shown)


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    crawl_of(tmp_path / "job").close()
    return tmp_path / "job"


def test_a_queued_url_has_the_rank_it_would_leave_at(closed: Path) -> None:
    said = explained(closed, LATER)
    assert (said.state, said.rank, said.queued, said.priority) == ("queued", 2, 2, -7.0)
    assert [(one.place, one.url) for one in said.ahead] == [(1, NEXT)]
    assert said.behind == ()
    assert [(one.place, one.url) for one in said.instead] == [(1, NEXT), (2, LATER)]
    assert said.why == ("It waits to be fetched.",)


def test_a_fetched_page_stands_among_its_hand_outs(closed: Path) -> None:
    said = explained(closed, C)
    assert (said.state, said.handout, said.priority) == ("crawled", 4, -4.0)
    assert [(one.place, one.url) for one in said.ahead] == [(3, GONE), (2, OLD)]
    assert [(one.place, one.url) for one in said.behind] == [(5, CLOSED)]
    assert [(one.place, one.url) for one in said.instead] == [(1, NEXT), (2, LATER)]


def test_only_links_known_at_the_hand_out_counted_for_a_fetched_page(closed: Path) -> None:
    """B was found on A; C links to it as well, and was fetched later."""
    said = explained(closed, B)
    assert (said.links, said.links_then, said.parts_then) == (2, 1, True)
    assert [carrier.url for carrier in said.carriers] == [A]


def test_all_links_count_for_what_waits(tmp_path: Path) -> None:
    web = {A: Page({B: 0.5, C: 0.5}, 0.5), B: Page({C: 0.0}, 1.0), C: Page()}
    crawl_of(tmp_path, 2, web).close()
    said = explained(tmp_path, C)
    assert (said.links, said.links_then, said.parts_then) == (2, 2, False)


def test_shares_of_what_links_carry(tmp_path: Path) -> None:
    """Relevance 1 of 1.5 and promise .2 of .8 and half of A's score, all of B's."""
    web = {A: Page({B: 0.5, C: 0.6}, 0.5), B: Page({C: 0.2}, 1.0), C: Page()}
    crawl = crawl_of(tmp_path, 2, web, strategy="topic-ppr", rerank_min_pages=1)
    score = crawl.backend.strategy.order.scores["score"].copy()
    crawl.close()
    said = explained(tmp_path, C)
    handed = {A: score[0] / 2, B: score[1]}
    whole = sum(handed.values())
    expected = {
        A: (0.5 / 1.5 + 0.6 / 0.8 + handed[A] / whole) / 3,
        B: (1.0 / 1.5 + 0.2 / 0.8 + handed[B] / whole) / 3,
    }
    carried = {carrier.url: carrier.carries for carrier in said.carriers}
    assert carried == pytest.approx(expected, rel=1e-3)
    shares = {carrier.url: carrier.score_share for carrier in said.carriers}
    assert shares == pytest.approx({url: part / whole for url, part in handed.items()})


def test_a_nofollow_link_speaks_and_does_not_vouch(tmp_path: Path) -> None:
    web = {
        A: Page({B: 0.5, C: 1.0}, 1.0, nofollow=frozenset({C})),
        B: Page({C: 0.0}, 0.5),
        C: Page(),
    }
    crawl_of(tmp_path, 2, web).close()
    said = explained(tmp_path, C)
    carried = {carrier.url: (carrier.carries, carrier.nofollow) for carrier in said.carriers}
    assert carried == {A: (0.5, True), B: (0.5, False)}


def test_links_that_carry_nothing_share_alike(tmp_path: Path) -> None:
    web = {A: Page({B: 0.0, C: 0.0}, 0.0), B: Page({C: 0.0}, 0.0), C: Page()}
    crawl_of(tmp_path, 2, web).close()
    assert [carrier.carries for carrier in explained(tmp_path, C).carriers] == [0.5, 0.5]


pages = st.lists(
    st.tuples(
        st.dictionaries(st.integers(0, 11), st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=6),
        st.sampled_from([0.0, 0.25, 0.75]),
    ),
    min_size=12,
    max_size=12,
)


@settings(max_examples=20, deadline=None)
@given(pages, st.integers(1, 12), st.sampled_from(sorted(ORDERS)))
def test_every_url_of_a_crawl_can_be_explained(
    tmp_path_factory: pytest.TempPathFactory,
    told: list[tuple[dict[int, float], float]],
    steps: int,
    order: str,
) -> None:
    """Ranks are the places of `top`; shares are at most a whole; JSON can say it."""
    urls = [A, *(f"http://{number % 3}.example/{number}" for number in range(1, 12))]
    web = {
        url: Page({urls[at]: promise for at, promise in links.items()}, relevance)
        for url, (links, relevance) in zip(urls, told, strict=True)
    }
    place = tmp_path_factory.mktemp("job")
    crawl_of(place, steps, web, strategy=order, rerank_min_pages=1).close()
    with CrawlView.open(place) as view:
        places = {row.url: row.rank for row in view.top(100)}
        met = [row.url for row in view.top(100, None)]
        for url in met:
            said = view.explain(url, 100)
            if said.state == "queued":
                assert said.rank == places[url]
                assert said.queued == len(places)
            assert {one.url: one.place for one in said.instead} == places
            if said.carriers:
                assert sum(one.carries for one in said.carriers) == pytest.approx(1)
            json.dumps(said.as_dict(), allow_nan=False)
            assert all(line.isprintable() for line in explain_text(said))


@pytest.mark.parametrize("order", ORDERS)
def test_every_order_says_what_its_formula_reads(tmp_path: Path, order: str) -> None:
    crawl_of(tmp_path, 3, strategy=order, rerank_min_pages=1).close()
    said = explained(tmp_path, C)
    assert (said.strategy, said.formula) == (order, ORDERS[order].formula)
    assert said.parts
    assert all(part.words for part in said.parts)


def test_only_orders_that_exist_are_told_of() -> None:
    assert set(READS) <= set(ORDERS)


def parts_of(directory: Path, url: str) -> list[str]:
    return [part.words for part in explained(directory, url).parts]


def test_the_numbers_of_the_default_formula(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, 3, strategy="relevance-ppr", rerank_min_pages=1)
    scores = crawl.backend.strategy.order.scores
    ratio = scores["score"][4] / scores["pagerank"][4]
    crawl.close()
    assert [part.value for part in explained(tmp_path, C).parts] == pytest.approx(
        [0.5, 1.0, ratio], rel=1e-6
    )
    assert parts_of(tmp_path, C) == [
        "mean relevance 0.5 of 2 pages that link to it, mean of all fetched pages 0.5833",
        "promise of the best link 1",
        f"topic-ppr is {ratio:.4g} times pagerank",
    ]


def test_a_link_score_is_put_beside_those_of_the_frontier(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, 1, strategy="ppr", rerank_min_pages=1, topic="")
    score = crawl.backend.strategy.order.scores["score"].copy()
    crawl.close()
    times = score[1] / score[1:].mean()
    assert parts_of(tmp_path, B) == [
        "1 fetched page links to it",
        f"link score {score[1]:.4g}, {number(times)} times the mean of the frontier",
    ]


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

    def _value(self, ids: Any, evidence: Any) -> Any:
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


def test_an_order_that_is_a_sum_tells_its_parts_largest_first(tmp_path: Path, counted: str) -> None:
    crawl_of(tmp_path, 1, strategy=counted).close()
    said = explained(tmp_path, B)
    assert (said.parts_add, said.parts_then) == (True, False)
    assert [(part.words, part.value) for part in said.parts] == [
        ("pages that link to it", 3.0),
        ("links from a seed", 1.0),
    ]
    assert sum(part.value or 0 for part in said.parts) == said.priority
    assert "   +3.0000  pages that link to it" in explain_text(said)


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
    assert "  what was known of it then, by what is learned now:" in explain_text(said)


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
    assert weights_text(said) == [
        "What counted has learned from 2 judged pages",
        "",
        " weight       ±  speaks     what is known of a URL",
        "+5.0000  0.5000  for        pages that link to it",
        "-2.0000  0.2500  against    how long it is known",
        "+1.0000  0.7500  undecided  links from a seed",
        "",
        "± is the standard deviation of a weight; one within two of them of 0 is undecided.",
    ]


def test_a_strategy_that_does_not_learn_says_so_and_names_those_that_do(
    tmp_path: Path, counted: str
) -> None:
    crawl_of(tmp_path, 3, strategy="dfs").close()
    with CrawlView.open(tmp_path) as view:
        said = view.weights()
    assert (said.learns, said.pages, said.weights) == (False, 0, ())
    lines = weights_text(said)
    assert lines[:3] == [
        "The strategy dfs does not learn: its formula is the same in every crawl.",
        f"  {ORDERS['dfs'].summary}",
        "  id(v)",
    ]
    assert counted in lines[3].removeprefix("Strategies that learn: ").split(", ")


def test_an_unfetched_seed_stands_before_everything(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, 1)
    crawl.seed("http://s.example/")
    crawl.close()
    said = explained(tmp_path, "s.example")
    assert (said.rank, [part.words for part in said.parts]) == (
        1,
        ["a seed; those that came first are fetched first"],
    )
    assert "Priority seed now, by bfs" in explain_text(said)
    assert "It is a seed: unfetched seeds come before all that was found." in said.why


def test_a_class_outranks_every_priority(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path)
    crawl.ask("http://d.example/", {key.CLASS: 3})
    crawl.close()
    said = explained(tmp_path, "d.example")
    assert (said.rank, said.priority_class) == (1, 3)
    assert said.why[1:] == (
        "No fetched page links to it: a request of the spider asked for it.",
        "Its request asks for class 3, which outranks every priority.",
    )


def test_what_was_not_fetched_says_why(tmp_path: Path) -> None:
    refused = "http://b.example/refused"
    web = {
        **WEB,
        A: Page({B: 0.5, refused: 0.0, GONE: 0.0}, 0.75),
        refused: Page(error="offsite", status=0, state=State.FILTERED),
    }
    crawl_of(tmp_path, 20, web).close()
    assert explained(tmp_path, GONE).why[0] == (
        "It could not be fetched and is not asked for again: HTTP 404."
    )
    assert explained(tmp_path, refused).why[0] == "A rule of the project refused it: offsite."
    assert explained(tmp_path, CLOSED).why[0] == "It may not be fetched: forbidden by robots.txt."


def test_a_redirect_names_its_target(closed: Path) -> None:
    assert explained(closed, OLD).why[0] == (
        f"It redirects to {C}, for which the links to it speak now."
    )


def test_a_url_that_waits_again_is_explained_as_waiting(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path)
    crawl.ask(A, {key.AGAIN: True})
    crawl.close()
    said = explained(tmp_path, A)
    assert said.state == "queued"
    assert said.why[0] == "It was answered 2026-11-03 10:00:00 UTC and is to be fetched again."


def test_a_url_that_was_never_met(closed: Path) -> None:
    said = explained(closed, "http://b.example/else")
    assert (said.url, said.state, said.rank) == ("http://b.example/else", "unknown", None)
    assert explain_text(said) == [
        "http://b.example/else",
        "  unknown: the crawl never met it",
        "  No page that was fetched links to it, and no seed or request of the spider named it.",
        "  Of the host b.example 3 URLs are known and 1 fetched; a link to it may stand on a page "
        "that is not, or was left out (FRONTIER_MAX_LINKS, a rule of the project).",
    ]


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("https://c.example/", C),
        ("http://www.c.example/", C),
        ("https://www.c.example/", C),
        ("http://c.example/next/", NEXT),
        ("http://c.example/next?print=1", NEXT),
    ],
)
def test_another_spelling_that_is_known_is_named(closed: Path, asked: str, meant: str) -> None:
    [hint] = [line for line in explained(closed, asked).why if line.startswith("Did you mean")]
    assert f"Did you mean {meant}?" in hint


@given(st.text(max_size=30))
@settings(max_examples=50, deadline=None)
def test_anything_can_be_asked(tmp_path_factory: pytest.TempPathFactory, asked: str) -> None:
    place = tmp_path_factory.mktemp("job")
    crawl_of(place, 1).close()
    assert explained(place, asked).state in {"unknown", "crawled", "queued"}


@pytest.mark.parametrize("order", ["bfs", "relevance-ppr", "topic-hits"])
def test_a_running_crawl_is_explained(tmp_path: Path, order: str) -> None:
    crawl = crawl_of(tmp_path, 2, strategy=order)
    handed = crawl.hand_out()
    with CrawlView.open(tmp_path) as view, CrawlView.beside(tmp_path, crawl.backend) as own:
        said = view.explain(handed.url)
        queued = [row.url for row in view.top(10)]
        for url in queued:
            seen, known = view.explain(url), own.explain(url)
            assert seen.rank == known.rank
            np.testing.assert_allclose(seen.priority, known.priority, rtol=1e-6)
    crawl.answer(handed)
    crawl.close()
    assert (said.state, said.handout) == ("leased", handed.meta[key.LEASE])
    assert said.priority == handed.meta[key.PRIORITY]
    assert "has not been answered yet" in said.why[0]


def test_explaining_changes_nothing(closed: Path) -> None:
    before = {file.name: file.read_bytes() for file in closed.iterdir()}
    for url in (A, NEXT, GONE, "http://nowhere.example/"):
        explained(closed, url)
    assert {file.name: file.read_bytes() for file in closed.iterdir()} == before


def test_a_resumed_crawl_is_explained_as_one_that_never_stopped(tmp_path: Path) -> None:
    config = {"strategy": "best-first"}
    crawl_of(tmp_path / "one", 4, **config).close()
    first = Clocked(tmp_path / "two", WEB, topic="pages", **config)
    first.seed(A)
    first.run(2)
    first.close()
    second = Clocked(tmp_path / "two", WEB, topic="pages", **config)
    second._now = first._now
    second.run(2)
    second.close()
    for url in (B, C, NEXT):
        one, two = explained(tmp_path / "one", url), explained(tmp_path / "two", url)
        assert (one.state, one.rank, one.links_then) == (two.state, two.rank, two.links_then)
        assert [part.words for part in one.parts] == [part.words for part in two.parts]


def test_the_text_of_a_queued_url(tmp_path: Path) -> None:
    web = {A: Page({B: 0.5, C: 0.25}, 0.75), B: Page({C: 1.0, NEXT: 0.0}, 0.25), C: Page()}
    crawl_of(tmp_path, 2, web, strategy="fc-max").close()
    assert explain_text(explained(tmp_path, C)) == [
        C,
        "  queued, 1st of 2 to be fetched",
        "  It waits to be fetched.",
        "",
        "Priority 0.75 now, by fc-max",
        "  max of rel(u) over fetched pages u that link to v",
        "  - the most relevant page that links to it has 0.75",
        "",
        "Links to it: 2; most is carried by",
        "  carries  relevance  words  link score  from",
        f"   52.5 %       0.25      1           -  {B}",
        f'      "to {C}"',
        f"   47.5 %       0.75   0.25           -  {A}",
        f'      "to {C}"',
        "",
        "Next to it in the frontier",
        "  #  priority  state   URL",
        f"  1      0.75  queued  {C}  (this one)",
        f"  2      0.25  queued  {NEXT}",
        "",
        "Best of the frontier now",
        "  #  priority  promise  URL",
        f"  1      0.75        1  {C}",
        f"  2      0.25        0  {NEXT}",
    ]


def test_the_text_of_a_page_that_was_fetched_last_of_all(tmp_path: Path) -> None:
    crawl_of(tmp_path, 2, {A: Page({B: 0.5}, 0.75), B: Page({}, 0.25)}, strategy="fc-max").close()
    lines = explain_text(explained(tmp_path, B))
    assert lines[1:3] == ["  crawled", "  It was fetched 2026-11-03 10:00:01 UTC, as hand-out 1."]
    assert "Priority 0.75 when it was handed out, by fc-max" in lines
    assert "Links to it: 1, 1 of them known when it was handed out; most is carried by" in lines
    assert lines[-6:] == [
        "Handed out next to it",
        "  hand-out  priority  state    URL",
        f"         0      seed  crawled  {A}",
        f"         1      0.75  crawled  {B}  (this one)",
        "",
        "Nothing else is left to be fetched.",
    ]


@pytest.mark.parametrize(
    ("rank", "text"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (112, "112th"),
        (1021, "1,021st"),
    ],
)
def test_ordinals(rank: int, text: str) -> None:
    assert ordinal(rank) == text


SPOKEN = {
    A: Page(
        {B: 0.5, C: 0.25},
        0.75,
        "Page A",
        similarity=0.4,
        cues={B: (255, 0, 51), C: (51, 204, 0)},
    ),
    B: Page({C: 1.0}, 0.25, cues={C: (0, 0, 102)}),
    C: Page(),
}


def test_links_tell_their_words_and_what_these_are_worth(tmp_path: Path) -> None:
    crawl_of(tmp_path, 2, SPOKEN).close()
    one, other = explained(tmp_path, C).carriers
    assert (one.url, one.title, one.relevance, one.similarity) == (A, "Page A", 0.75, 0.4)
    assert (one.anchor_cue, one.context_cue, one.address_cue) == (0.2, 0.8, 0.0)
    assert (one.anchor, one.context) == (f"to {C}", f"around {C} on {A}")
    assert (other.anchor_cue, other.context_cue, other.address_cue) == (0.0, 0.0, 0.4)
    assert one.carries == pytest.approx((0.75 + 0.8 / 1.2) / 2)
    assert (one.topical, other.topical) == (True, False)
    lines = explain_text(explained(tmp_path, C))
    assert f"      ... around {C} on {A} ..." in lines


@pytest.fixture
def twice(tmp_path: Path) -> Path:
    """Page 0 links twice to URL 2, page 1 once, with words that its host has used before."""
    blank, loud = (0, 0, 0), (255, 51, 0)
    with Store.open(tmp_path) as store:
        for url_id in range(3):
            host = store.add_host("a.example")
            store.add_url(url_id, 100 + url_id, f"u{url_id}", host=host, depth=0, found=1.0)
        store.page(page_row(0, [(2, 0, "", "", blank), (2, TOPICAL, "all", "around", loud)]))
        store.page(page_row(1, [(2, REPEATED, "all", "", loud)]))
        store.commit()
    return tmp_path


def page_row(url_id: int, links: list[tuple[int, int, str, str, tuple[int, int, int]]]) -> PageRow:
    targets, flags, anchors, contexts, cues = zip(*links, strict=True)
    said = Said(np.array(cues, np.uint8), np.zeros(len(links), np.uint32), contexts)
    record = Links(
        np.array(targets, np.int32),
        np.full(len(links), 0.5, np.float32),
        np.array(flags, np.uint8),
        anchors,
        said,
    )
    return PageRow(
        url_id=url_id,
        state=State.CRAWLED,
        fetched=1.0 + url_id,
        title=f"T{url_id}",
        relevance=0.5,
        similarity=0.25,
        links=record,
    )


def test_of_several_links_from_a_page_the_best_words_are_told(twice: Path) -> None:
    with CrawlReader.open(twice) as reader:
        assert reader.link_words(0, 2) == LinkWords(
            title="T0",
            relevance=0.5,
            similarity=0.25,
            anchor="all",
            context="around",
            cues=(1.0, 0.2, 0.0),
            repeated=False,
            topical=True,
        )


def test_words_that_a_host_repeats_are_marked(twice: Path) -> None:
    with CrawlReader.open(twice) as reader:
        said = reader.link_words(1, 2)
    assert (said.repeated, said.topical, said.anchor) == (True, False, "all")


def test_answers_are_counted_up_to_a_time(twice: Path) -> None:
    with CrawlReader.open(twice) as reader:
        assert [reader.answers_until(moment) for moment in (0.5, 1.0, 1.5, 9.0)] == [0, 1, 1, 2]


@pytest.mark.parametrize("order", ["best-first", "anchor-only", "anchor-parent", "shark"])
def test_orders_that_read_words_tell_the_numbers(tmp_path: Path, order: str) -> None:
    crawl_of(tmp_path, 1, SPOKEN, strategy=order).close()
    told = {part.words: part.value for part in explained(tmp_path, C).parts}
    known = {
        "similarity of the most similar page that links to it 0.4": pytest.approx(0.4),
        "words of the best link text 0.2": pytest.approx(0.2),
        "words around the best link 0.8": pytest.approx(0.8),
        "words of its URL 0": 0.0,
    }
    assert told
    assert all(known[words] == value for words, value in told.items())


def test_scores_before_and_after_the_last_re_rank(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, 0, strategy="ppr", rerank_min_pages=1, topic="")
    strategy = crawl.backend.strategy
    while strategy.epoch < 2:
        before = strategy.order.scores["score"].copy()
        handed = crawl.hand_out()
        after = strategy.order.scores["score"].copy()
        crawl.answer(handed)
    crawl.close()
    said = explained(tmp_path, B)
    assert said.epoch == 2
    assert said.score_after == pytest.approx(after[1])
    assert said.score_before == pytest.approx(before[1], rel=1e-6)
    lines = explain_text(said)
    assert (
        lines[lines.index("Link score") + 1] == f"  before re-rank 2  {number(said.score_before)}"
    )
