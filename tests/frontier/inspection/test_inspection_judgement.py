"""What a fetched page is marked with, who judged it, and who is suspect: all of it is explained."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from frontier.formatting import number
from frontier.inspection import CrawlView
from frontier.states import Mark
from frontier.store.keys import LABELLED
from frontier.strategy.distrust import LAST, SUSPECT
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.explained_crawl import explained
from tests.support.told import tells

SEED = "http://a.example/"
LATE = "http://a.example/late"


def crawled(directory: Path, web: dict[str, Page], **config: str) -> DrivenCrawl:
    crawl = DrivenCrawl(directory, web, **{"strategy": "bfs", "topic": "pages", **config})
    crawl.seed(SEED)
    return crawl


def why(directory: Path, url: str) -> tuple[str, ...]:
    return explained(directory, url).why


def judgement(directory: Path, url: str, relevance: float = 0.5) -> tuple[str, ...]:
    """What follows the relevance of a page: by whom it was judged."""
    lines = why(directory, url)
    at = next(n for n, line in enumerate(lines) if tells([line], number(relevance)))
    return lines[at + 1 :]


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        (Mark.NOINDEX, "noindex"),
        (Mark.NOFOLLOW, "nofollow"),
        (Mark.SOFT_404, "soft 404"),
        (Mark.CANONICAL_HERE, "canonical"),
        (Mark.LED_BACK, "known without it"),
        (Mark.TRUNCATED, "it is larger than 9 bytes"),
    ],
)
def test_each_mark_is_said_in_words(tmp_path: Path, marks: Mark, said: str) -> None:
    note = "tls: it is nobody's; truncated: it is larger than 9 bytes; and so on"
    crawl = crawled(tmp_path, {SEED: Page(relevance=0.5, marks=marks, error=note)})
    crawl.run()
    crawl.close()
    assert tells(why(tmp_path, SEED), said)


def test_a_page_that_names_another_says_which(tmp_path: Path) -> None:
    kept = "http://a.example/kept"
    crawl = crawled(tmp_path, {SEED: Page(relevance=0.5, canonical=kept), kept: Page()})
    crawl.run()
    crawl.close()
    assert tells(why(tmp_path, SEED)[:1], kept)


def test_a_page_without_marks_says_none(tmp_path: Path) -> None:
    crawl = crawled(tmp_path, {SEED: Page(relevance=0.25, similarity=0.125)})
    crawl.run()
    crawl.close()
    assert tells(why(tmp_path, SEED)[-1:], 0.25, 0.125)
    assert len(why(tmp_path, SEED)) == 4  # when it was fetched, its rank then, that it is a seed


def test_a_page_that_nobody_judged_has_no_relevance_to_speak_of(tmp_path: Path) -> None:
    crawl = crawled(tmp_path, {SEED: Page(error="HTTP 404", status=404, relevance=None)})
    crawl.run()
    crawl.close()
    assert len(why(tmp_path, SEED)) == 3  # when it was fetched, its rank then, that it is a seed


def many(directory: Path) -> DrivenCrawl:
    urls = [f"http://a.example/{number}" for number in range(20)]
    web = {SEED: Page(dict.fromkeys([*urls, LATE], 0.5), 0.5)}
    web |= {url: Page({}, 0.5) for url in (*urls, LATE)}
    crawl = crawled(directory, web)
    crawl.run()
    return crawl


def test_words_alone_have_none_to_speak_of(tmp_path: Path) -> None:
    crawl = crawled(tmp_path, {SEED: Page(relevance=0.5)})
    crawl.run()
    crawl.close()
    assert judgement(tmp_path, SEED) == ()


def test_what_a_person_said_is_told_instead(tmp_path: Path) -> None:
    crawl = many(tmp_path)
    crawl.backend.remember(LABELLED, {"yes": {}, "no": {"0": "text"}})
    crawl.close()
    [said] = judgement(tmp_path, SEED)
    assert tells([said], "no")


BAD, FARM = "http://bad.example/sale", "http://farm.example/"
LIFTED, FEW = "http://lifted.example/", "http://few.example/"


@pytest.fixture
def distrusted(tmp_path: Path) -> Path:
    """A crawl that stopped with what a farm alone leads to still queued."""
    others = {f"http://b.example/{number}": 0.1 for number in range(30)}
    web = {
        SEED: Page({FARM: 0.5, FEW: 0.5}, 0.5),
        FARM: Page({BAD: 0.5, LIFTED: 0.5}, 0.5),
        FEW: Page({BAD: 0.5, **others}, 0.5),
    }
    (tmp_path / "bad.txt").write_text("bad.example\n")
    crawl = crawled(tmp_path / "job", web, distrust=str(tmp_path / "bad.txt"))
    crawl.run(3)
    crawl.close()
    return tmp_path / "job"


def test_who_is_suspect_says_how_much_and_why(distrusted: Path) -> None:
    assert tells(why(distrusted, FARM)[-1:], 0.425)
    assert tells(why(distrusted, FEW)[-1:], number(SUSPECT))
    assert tells(why(distrusted, BAD), distrusted.parent / "bad.txt", "FRONTIER_DISTRUST")
    assert judgement(distrusted, SEED) == ()


def test_what_suspects_alone_lead_to_waits_and_says_so(distrusted: Path) -> None:
    said = explained(distrusted, LIFTED)
    assert len(said.why) == 3  # that it waits, that suspects lead to it, and its host
    assert not tells(said.why, "FRONTIER_SCORES")
    assert said.priority is not None
    assert said.priority <= -LAST / 2
    assert said.rank is not None
    assert said.rank >= said.queued - 1  # beside the bad one


def test_a_look_from_outside_orders_as_the_crawl_itself(distrusted: Path) -> None:
    with CrawlView.open(distrusted) as view:
        assert {row.url for row in view.top(40)[-2:]} == {LIFTED, BAD}


def test_a_file_that_is_gone_leaves_suspicion_unknown(distrusted: Path) -> None:
    (distrusted.parent / "bad.txt").unlink()
    file = distrusted.parent / "bad.txt"
    assert tells(why(distrusted, FARM)[-1:], file, "FRONTIER_DISTRUST")
    assert not tells(why(distrusted, FARM), 0.425)


def test_a_host_of_bad_urls_is_named(tmp_path: Path) -> None:
    host = "http://c.example"
    web = {SEED: Page(dict.fromkeys([f"{host}/bad/1", f"{host}/bad/2", f"{host}/x"], 0.5), 0.5)}
    (tmp_path / "bad.txt").write_text(f"{host}/bad/\n")
    crawl = crawled(tmp_path / "job", web, distrust=str(tmp_path / "bad.txt"))
    crawl.run(1)
    crawl.close()
    with CrawlView.open(tmp_path / "job") as view:
        assert view.top(9)[-1].url == f"{host}/x"
    assert len(why(tmp_path / "job", f"{host}/x")) == 3  # that it waits, and twice for what


def test_of_a_text_that_repeats_another_no_relevance_is_told(tmp_path: Path) -> None:
    words = " ".join(random.Random(1).choices([f"w{n}" for n in range(999)], k=200))
    copy = "http://c.example/copy"
    web = {SEED: Page({copy: 0.5}, 0.5, text=words), copy: Page({}, 0.5, text=words)}
    crawl = crawled(tmp_path, web)
    crawl.run()
    crawl.close()
    [of, _] = why(tmp_path, copy)[2:]  # and no judgement
    assert tells([of], SEED)
