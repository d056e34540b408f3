"""The links to a URL: which counted for it, what they say, what each carries."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from frontier.inspection.explain.in_links import LinkWords, link_words
from frontier.inspection.text.explain import explain_text
from frontier.records import Links, LinkText, PageRecord
from frontier.states import State
from frontier.store import Store, StoreReader
from frontier.store.link_text import REPEATED, TOPICAL
from tests.support.driven_crawl import A, B, C, Page
from tests.support.explained_crawl import SPOKEN, crawl_of, explained
from tests.support.told import tells


def test_only_links_known_at_the_hand_out_counted_for_a_fetched_page(tmp_path: Path) -> None:
    """B was found on A; C links to it as well, and was fetched later."""
    crawl_of(tmp_path).close()
    said = explained(tmp_path, B)
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
    score = crawl.backend.driver.order.scores["score"].copy()
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
    assert tells(lines, f"around {C} on {A}")


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


def page_row(
    url_id: int, links: list[tuple[int, int, str, str, tuple[int, int, int]]]
) -> PageRecord:
    targets, flags, anchors, contexts, cues = zip(*links, strict=True)
    said = LinkText(np.array(cues, np.uint8), np.zeros(len(links), np.uint32), contexts)
    record = Links(
        np.array(targets, np.int32),
        np.full(len(links), 0.5, np.float32),
        np.array(flags, np.uint8),
        anchors,
        said,
    )
    return PageRecord(
        url_id=url_id,
        state=State.CRAWLED,
        fetched=1.0 + url_id,
        title=f"T{url_id}",
        relevance=0.5,
        similarity=0.25,
        links=record,
    )


def test_of_several_links_from_a_page_the_best_words_are_told(twice: Path) -> None:
    with StoreReader.open(twice) as reader:
        assert link_words(reader, 0, 2) == LinkWords(
            title="T0",
            relevance=0.5,
            similarity=0.25,
            anchor="all",
            context="around",
            anchor_cue=1.0,
            context_cue=0.2,
            address_cue=0.0,
            repeated=False,
            topical=True,
        )


def test_words_that_a_host_repeats_are_marked(twice: Path) -> None:
    with StoreReader.open(twice) as reader:
        said = link_words(reader, 1, 2)
    assert (said.repeated, said.topical, said.anchor) == (True, False, "all")


def test_answers_that_had_come_by_a_time(twice: Path) -> None:
    with StoreReader.open(twice) as reader:
        come = [reader.answered_until(moment).tolist() for moment in (0.5, 1.0, 1.5, 9.0)]
    assert come == [[False, False], [True, False], [True, False], [True, True]]


def test_a_page_that_failed_when_it_was_fetched_again_still_links(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, 2, dict(SPOKEN))
    crawl.web[A] = Page(error="timeout", status=0, state=State.ERROR)
    crawl.ask(A, again=True)
    crawl.ask("http://urgent.example/", priority_class=1)
    while crawl.fetched.count(A) < 2:
        crawl.step()
    crawl.close()
    assert tells(explained(tmp_path, A).why[:1], "timeout")
    assert [one.anchor for one in explained(tmp_path, C).carriers if one.url == A] == [f"to {C}"]
