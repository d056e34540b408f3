"""From a crawl to its index: who says what of whom, and which pages are there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from frontier.errors import FeedError, SearchError, StoreMissingError
from frontier.search import IndexedPage, SearchIndex, search, sync
from frontier.search.syncing import merged
from frontier.search.updating import ReadPage, feed_pages, update
from frontier.states import NO_MARKS, Mark, State
from frontier.store import StoreReader
from tests.support.driven_crawl import Page
from tests.support.searched import crawled, indexed, linking, pages_of

HOME = "http://home.example/"
VICTIM, RIVAL = "http://victim.example/", "http://rival.example/"
PHRASE = "miserable failure"
ALONE = {"title": 0.0, "text": 0.0, "url": 0.0, "authority": 0.0, "relevance": 0.0}
"""Weights of link texts alone."""


def said(directory: Path, url: str) -> list[str]:
    """The terms that the index has of what others say of a page."""
    with SearchIndex.open(directory) as index:
        pages = index.pages(index.ids().tolist())
        number = next(one.url_id for one in pages.values() if one.url == url)
        return index.link_texts([number]).get(number, "").split()


def scores(directory: Path, words: str) -> dict[str, float]:
    return {one.url: one.score for one in search(directory, words, weights=ALONE).answers}


def bombed(*bombs: str, marks: Mark = NO_MARKS) -> dict[str, Page]:
    """An honest page names the rival by the phrase; bombs name the victim, each by the phrase."""
    web = {HOME: linking((RIVAL, PHRASE), (VICTIM, "a book"), *((url, "in") for url in bombs))}
    web |= {RIVAL: linking(title="rival"), VICTIM: linking(title="victim")}
    web |= {url: linking((VICTIM, PHRASE), marks=marks) for url in bombs}
    return web


ONE_HOST = [f"http://farm.example/{n}" for n in range(100)]
ONE_DOMAIN = [f"http://h{n}.farm.example/" for n in range(100)]
DOMAINS = [f"http://honest{n}.example/" for n in range(5)]


@pytest.mark.parametrize("bombs", [ONE_HOST, ONE_DOMAIN])
def test_a_hundred_pages_of_one_domain_bring_no_more_than_one_link(
    tmp_path: Path, bombs: list[str]
) -> None:
    indexed(tmp_path / "one", bombed(bombs[0]))
    indexed(tmp_path / "many", bombed(*bombs))
    assert said(tmp_path / "many", VICTIM) == said(tmp_path / "one", VICTIM)
    victim, rival = (scores(tmp_path / "many", PHRASE)[url] for url in (VICTIM, RIVAL))
    assert victim <= rival


def test_hundred_variants_of_a_phrase_count_each_word_once_a_domain(tmp_path: Path) -> None:
    web = bombed(*ONE_HOST)
    for number, url in enumerate(ONE_HOST):
        web[url] = linking((VICTIM, f"{PHRASE} {number} of many"))
    indexed(tmp_path, web)
    terms = said(tmp_path, VICTIM)
    assert [terms.count(one) for one in ("miserable", "failure")] == [1, 1]
    assert len(terms) < 20


def test_domains_that_know_nothing_of_each_other_count_each(tmp_path: Path) -> None:
    indexed(tmp_path, bombed(*DOMAINS))
    assert said(tmp_path, VICTIM).count("failure") == len(DOMAINS)
    found = scores(tmp_path, PHRASE)
    assert found[VICTIM] > found[RIVAL]


@pytest.mark.parametrize(
    "mark", [Mark.DUPLICATE, Mark.NEAR_DUPLICATE, Mark.SOFT_404, Mark.NOFOLLOW]
)
def test_marked_pages_say_nothing_of_others(tmp_path: Path, mark: Mark) -> None:
    indexed(tmp_path, bombed(*DOMAINS, marks=mark))
    assert said(tmp_path, VICTIM) == ["a", "book"]


def test_links_that_are_not_followed_say_nothing(tmp_path: Path) -> None:
    web = bombed(DOMAINS[0])
    web[DOMAINS[0]].nofollow = frozenset({VICTIM})
    indexed(tmp_path, web)
    assert said(tmp_path, VICTIM) == ["a", "book"]


def test_pages_of_the_file_of_bad_hosts_and_traps_say_nothing(tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("other.example\n")
    web = bombed(*DOMAINS[:2])
    web[DOMAINS[1]].state = State.TRAP
    crawled(tmp_path / "job", web, distrust=str(bad))
    bad.write_text("honest0.example\n")  # known to be bad after it was fetched
    update(tmp_path / "job", pages_of(web))
    assert said(tmp_path / "job", VICTIM) == ["a", "book"]


def test_a_page_that_the_ranking_gives_nothing_says_nothing(tmp_path: Path) -> None:
    """In ppr that is a page to which no followed way leads from the seeds."""
    fillers = [(f"http://filler.example/{n}", "filler") for n in range(20)]
    web = {url: linking() for url, _ in fillers}
    web |= {RIVAL: linking(), VICTIM: linking(), DOMAINS[0]: linking((VICTIM, PHRASE))}
    web[HOME] = linking((RIVAL, PHRASE), (VICTIM, "a book"), (DOMAINS[0], "in"), *fillers)
    web[HOME].nofollow = frozenset({DOMAINS[0]})
    crawled(tmp_path, web, HOME, strategy="ppr", topic="")
    with StoreReader.open(tmp_path) as reader:
        scores = reader.saved_arrays("scores:")[0]["score"]
        assert scores.min() == 0 < np.median(scores)
    update(tmp_path, pages_of(web))
    assert said(tmp_path, VICTIM) == ["a", "book"]


def test_link_texts_follow_redirects_and_come_with_a_later_sync(tmp_path: Path) -> None:
    web = {
        HOME: linking(("http://old.example/", "the comet book")),
        "http://old.example/": Page(redirect=VICTIM),
        VICTIM: linking(title="Untitled"),
    }
    crawled(tmp_path, web)
    update(tmp_path, pages_of(web)[:1])
    assert search(tmp_path, "comet").answers == ()
    report = update(tmp_path, pages_of(web)[1:])
    assert (report.pages, report.changed, report.with_link_texts) == (2, 1, 1)
    assert [one.url for one in search(tmp_path, "comet book").answers] == [VICTIM]


def test_a_domain_says_a_dozen_words_those_that_most_of_its_pages_use() -> None:
    many = [(1, "a.example", "usual word")] * 3
    rare = [(1, "a.example", f"rare{n} word") for n in range(30)]
    ((target, terms),) = merged([*rare, *many])
    assert (target, terms.split()[:2], len(terms.split())) == (1, ["usual", "word"], 12)
    assert list(merged([(1, "a.example", "!!")])) == []


def test_pages_that_are_gone_or_ask_not_to_be_shown_are_not_in_the_index(tmp_path: Path) -> None:
    web = {
        HOME: linking((VICTIM, "victim"), (RIVAL, "rival"), text="comet"),
        VICTIM: linking(text="comet", marks=Mark.NOINDEX),
        RIVAL: linking(text="comet", error="HTTP 410", status=410, state=State.ERROR),
    }
    crawled(tmp_path, web)
    pages = [ReadPage(url, "", "comet") for url in (*web, "http://never.example/met")]
    report = update(tmp_path, pages)
    assert (report.pages, report.changed, report.not_of_crawl) == (1, 1, 3)
    with SearchIndex.open(tmp_path, write=True) as index:
        index.add([IndexedPage(n, f"http://x.example/{n}", "", "comet") for n in range(5)])
        with StoreReader.open(tmp_path) as reader:
            assert reader.count_urls() == 3
            assert sync(index, reader).removed == 2
    assert search(tmp_path, "comet").pages == 3  # of two the crawl may know more than it has saved


def test_a_second_run_changes_what_has_changed_alone(tmp_path: Path) -> None:
    web = bombed(*DOMAINS)
    first = indexed(tmp_path, web)
    assert (first.changed, first.pages, first.with_link_texts) == (8, 8, 7)
    again = update(tmp_path, pages_of(web))
    assert (again.changed, again.pages, again.removed) == (0, 8, 0)
    changed = [page._replace(text="novel words") for page in pages_of(web)[:1]]
    assert update(tmp_path, changed).changed == 1
    assert [one.url for one in search(tmp_path, "novel").answers] == [HOME]
    assert update(tmp_path, None).pages == 8


def test_pages_that_are_not_indexed_are_counted(tmp_path: Path) -> None:
    web = bombed(*DOMAINS)
    crawled(tmp_path, web)
    update(tmp_path, pages_of(web)[:3])
    assert search(tmp_path, "victim").missing == 5


def test_authority_is_the_share_of_pages_with_a_lower_score_and_relevance_is_the_page_s(
    tmp_path: Path,
) -> None:
    web = bombed(*ONE_HOST[:20])
    web[VICTIM].relevance = 0.75
    indexed(tmp_path, web, strategy="pagerank")
    with SearchIndex.open(tmp_path) as index, StoreReader.open(tmp_path) as reader:
        ids = index.ids().tolist()
        authority, relevance, _ = index.numbers(ids)
        stored = reader.saved_arrays("scores:")[0]["score"]
        lower = [sum(stored[other] < stored[one] for other in ids) for one in ids]
        assert authority == pytest.approx(np.array(lower) / (len(ids) - 1))
        victim = next(page.url_id for page in index.pages(ids).values() if page.url == VICTIM)
        assert relevance[ids.index(victim)] == 0.75
        assert ids[authority.argmax()] == victim


def test_twins_are_folded(tmp_path: Path) -> None:
    copy = "http://copy.example/"
    text = " ".join(f"word{n} of a long text" for n in range(100))
    web = {
        HOME: linking((VICTIM, "first"), (copy, "second")),
        VICTIM: linking(title="Comet", text=text),
        copy: linking(title="Comet", text=text),
    }
    indexed(tmp_path, web)
    (answer,) = search(tmp_path, "word7").answers
    assert (answer.url, answer.folded) == (VICTIM, 1)


def test_the_index_of_another_crawl_is_refused(tmp_path: Path) -> None:
    indexed(tmp_path, bombed())
    (tmp_path / "frontier.sqlite").unlink()
    crawled(tmp_path, bombed(DOMAINS[0]))
    with pytest.raises(SearchError, match="another crawl"):
        update(tmp_path, None)


def test_updating_needs_a_crawl_and_pages_or_an_index(tmp_path: Path) -> None:
    with pytest.raises(StoreMissingError):
        update(tmp_path, [])
    crawled(tmp_path, bombed())
    with pytest.raises(SearchError, match="--warc"):
        update(tmp_path, None)


def test_a_feed_has_text_or_html(tmp_path: Path) -> None:
    feed = tmp_path / "feed.jl"
    feed.write_text(
        '{"url": "http://a.example/", "title": "A", "text": "said"}\n\n'
        '{"url": "http://b.example/", "final_url": "http://c.example/", '
        '"html": "<title>B</title><p>shown<script>not"}\n',
        encoding="utf-8",
    )
    assert list(feed_pages(feed)) == [
        ReadPage("http://a.example/", "A", "said"),
        ReadPage("http://c.example/", "B", "shown"),
    ]


@pytest.mark.parametrize("line", ["no JSON", "[]", '{"url": "http://a.example/"}', '{"text": "a"}'])
def test_a_line_of_a_feed_that_is_no_page_is_named(tmp_path: Path, line: str) -> None:
    feed = tmp_path / "feed.jl"
    feed.write_text('{"url": "http://a.example/", "text": ""}\n' + line)
    with pytest.raises(FeedError, match=r"line 2 of .*feed\.jl"):
        list(feed_pages(feed))


def test_a_feed_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(FeedError, match="cannot read"):
        list(feed_pages(tmp_path / "none.jl"))
    (tmp_path / "none.jl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FeedError, match="cannot read"):
        list(feed_pages(tmp_path / "none.jl"))
