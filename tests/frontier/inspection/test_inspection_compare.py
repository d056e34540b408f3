"""Two crawls beside each other."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontier.errors import StoreMissingError
from frontier.inspection.compare import Comparison, Missed, compare
from frontier.inspection.rendering import rendered
from tests.support.driven_crawl import (
    CLOSED,
    GONE,
    LATER,
    NEXT,
    OLD,
    WEB,
    A,
    B,
    C,
    DrivenCrawl,
    Page,
)


def crawled(directory: Path, steps: int, seeds: tuple[str, ...] = (A,), **config: Any) -> Path:
    config = {"strategy": "bfs", "topic": "pages", **config}
    crawl = DrivenCrawl(directory, config.pop("web", WEB), **config)
    crawl.seed(*seeds)
    crawl.run(steps)
    crawl.close()
    return directory


def test_what_is_shared_and_what_each_found_first(tmp_path: Path) -> None:
    """A: pages A, B, C. The other, from C: pages C, NEXT (a 404), B, A and LATER are left."""
    one = crawled(tmp_path / "one", 6)
    other = crawled(tmp_path / "other", 4, (C, B), random_seed=9)
    said = compare(one, other)
    assert [crawl.pages for crawl in said.crawls] == [3, 2]
    assert said.shared == 2
    here, there = said.overlaps
    assert [here.fetched_too, here.known_only, here.never_met] == [2, 1, 0]
    assert [there.fetched_too, there.known_only] == [2, 0]
    assert [here.earlier, here.later] == [0, 1]
    assert [there.earlier, there.later] == [1, 0]
    assert said.only_a == (Missed(0.75, 1, True, A, "Page A"),)
    assert said.only_b == ()


@pytest.mark.parametrize("random_seed", [0, 9])
def test_a_crawl_beside_one_of_the_same_pages_shares_all(tmp_path: Path, random_seed: int) -> None:
    one = crawled(tmp_path / "one", 6)
    said = compare(one, crawled(tmp_path / "other", 6, random_seed=random_seed))
    for side in said.overlaps:
        assert side.fetched_too == side.pages == 3
        assert (side.earlier, side.later) == (0, 0)
        assert (side.relevant_too, side.relevant_missed) == (2, 0)


def test_a_crawl_can_be_put_beside_itself(tmp_path: Path) -> None:
    one = crawled(tmp_path, 6)
    assert compare(one, one).shared == 3


def test_relevance_is_that_of_each_crawls_own_judge(tmp_path: Path) -> None:
    one = crawled(tmp_path / "one", 6)
    stricter = crawled(tmp_path / "other", 6, relevant=0.7)
    said = compare(one, stricter)
    here, there = said.overlaps
    assert not said.same_topic
    assert (here.relevant, there.relevant) == (2, 1)
    assert (here.relevant_too, here.judged_otherwise) == (1, 1)
    assert (there.relevant_too, there.judged_otherwise) == (1, 0)


def test_shares_over_as_many_pages(tmp_path: Path) -> None:
    said = compare(crawled(tmp_path / "one", 6), crawled(tmp_path / "other", 1))
    assert said.early_pages == 1
    assert [crawl.relevant_share for crawl in said.crawls] == [2 / 3, 1.0]
    assert [crawl.early_relevant_share for crawl in said.crawls] == [1.0, 1.0]


def test_a_request_that_its_url_does_not_identify_has_no_counterpart_elsewhere(
    tmp_path: Path,
) -> None:
    """Under one key its fingerprint says which it is; under another nothing does."""
    form = "http://d.example/form"
    directories = [tmp_path / name for name in ("one", "same", "other")]
    for directory, random_seed in zip(directories, (0, 0, 9), strict=True):
        crawl = DrivenCrawl(directory, {form: Page()}, strategy="bfs", random_seed=random_seed)
        crawl.ask(form, fingerprint=5)
        crawl.run()
        crawl.close()
    assert compare(directories[0], directories[1]).shared == 1
    assert compare(directories[0], directories[2]).shared == 0


def test_failures_and_redirects_are_no_pages_but_known(tmp_path: Path) -> None:
    one = crawled(tmp_path / "one", 6)
    web = {url: Page(title="here") for url in (A, OLD, GONE, CLOSED)}
    said = compare(crawled(tmp_path / "other", 4, tuple(web), web=web, topic=""), one)
    assert said.overlaps[0].known_only == 3
    assert said.shared == 1


def test_crawls_that_share_nothing_and_crawls_without_pages(tmp_path: Path) -> None:
    one = crawled(tmp_path / "one", 6)
    elsewhere = crawled(tmp_path / "else", 1, ("http://d.example/",), web={})
    said = compare(one, elsewhere)
    assert said.shared == 0
    assert rendered(said)
    assert [crawl.relevant_share for crawl in said.crawls] == [2 / 3, None]


def test_a_running_crawl_is_compared_as_far_as_it_is_committed(tmp_path: Path) -> None:
    one = crawled(tmp_path / "one", 6)
    running = DrivenCrawl(tmp_path / "other", WEB, strategy="bfs", topic="pages")
    running.seed(A)
    running.run(2)
    running.hand_out()
    said = compare(one, tmp_path / "other")
    running.step()
    running.close()
    assert said.overlaps[1].fetched_too == 2


def test_comparing_changes_nothing(tmp_path: Path) -> None:
    one, other = crawled(tmp_path / "one", 6), crawled(tmp_path / "other", 3, random_seed=9)
    before = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    compare(one, other)
    assert {f: f.read_bytes() for f in tmp_path.rglob("*") if f.is_file()} == before


def test_no_crawl_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreMissingError, match="nothing"):
        compare(crawled(tmp_path / "one", 1), tmp_path / "nothing")


URLS = [f"http://x.example/{number}" for number in range(30)]
webs = st.lists(
    st.tuples(st.lists(st.sampled_from(URLS), max_size=6), st.sampled_from([0.0, 0.25, 0.5, 1.0])),
    min_size=30,
    max_size=30,
)


@settings(max_examples=25)
@given(webs, st.integers(1, 30), st.integers(1, 30), st.sampled_from([0, 9]))
def test_counts_are_those_of_sets_of_urls(
    pages: list[tuple[list[str], float]], steps: int, more: int, random_seed: int
) -> None:
    web = {
        url: Page(dict.fromkeys(links, 0.5), relevance)
        for url, (links, relevance) in zip(URLS, pages, strict=True)
    }
    orders = []
    with TemporaryDirectory() as place:
        for name, strategy, n, secret in (
            ("one", "bfs", steps, 0),
            ("other", "ppr", more, random_seed),
        ):
            crawl = DrivenCrawl(
                Path(place, name), web, strategy=strategy, topic="t", random_seed=secret
            )
            crawl.seed(URLS[0])
            crawl.run(n)
            crawl.close()
            orders.append(crawl.fetched)
        said = compare(Path(place, "one"), Path(place, "other"), listed=100)
    check_overlap(said, 0, *orders, web)
    check_overlap(said, 1, *reversed(orders), web)


def check_overlap(
    said: Comparison, number: int, own: list[str], other: list[str], web: dict[str, Page]
) -> None:
    side = said.overlaps[number]
    shared = set(own) & set(other)
    good = {url for url in own if (web[url].relevance or 0) >= 0.5}
    assert said.shared == side.fetched_too == len(shared)
    ahead = {url for url in shared if own.index(url) < other.index(url)}
    assert side.earlier == len(ahead)
    assert side.relevant_too == len(good & shared)
    assert [page.url for page in (said.only_a, said.only_b)[number]] == sorted(
        good - shared, key=lambda url: (-(web[url].relevance or 0), own.index(url))
    )


def test_a_comparison_is_what_json_can_say(tmp_path: Path) -> None:
    one = crawled(tmp_path, 6)
    said = compare(one, one).as_dict()
    assert json.loads(json.dumps(said, allow_nan=False))["shared"] == 3
    assert {NEXT, LATER, B}.isdisjoint(page["url"] for page in said["only_a"])
