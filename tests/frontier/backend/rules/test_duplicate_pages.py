"""A crawl with mirrors: copies are fetched and marked, teach nothing, and collect no rank twice."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from frontier.duplicates.finder import OFF, DuplicatePolicy
from frontier.states import COPIED, ELSEWHERE, Mark, State
from frontier.store import StoreReader
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.stored import stored_pages

WORDS = [f"word{number}" for number in range(5000)]
SEED = "http://seed.example/"
HONEST, MIRROR, NEARLY = (
    "http://honest.example/",
    "http://mirror.example/",
    "http://nearly.example/",
)
PAGES = 12


def text_of(number: int) -> str:
    return " ".join(random.Random(number).choices(WORDS, k=300))


def site(root: str, changed: bool = False) -> dict[str, Page]:
    """Pages in a ring, each of which links to the first one too."""
    pages = {}
    for number in range(PAGES):
        links = {f"{root}{(number + 1) % PAGES}": 0.5, f"{root}0": 0.5}
        text = text_of(number) + (" and a note of the mirror's own" if changed else "")
        pages[f"{root}{number}"] = Page(links, relevance=0.9, title=f"{number}", text=text)
    return pages


def mirrored() -> dict[str, Page]:
    first = {f"{root}0": 0.5 for root in (HONEST, MIRROR, NEARLY)}
    web = {SEED: Page(first, relevance=0.5, title="seed", text=text_of(99))}
    return web | site(HONEST) | site(MIRROR) | site(NEARLY, changed=True)


def crawl(directory: Path | None, web: dict[str, Page], **config: object) -> DrivenCrawl:
    driven = DrivenCrawl(directory, web, **({"topic": "words"} | config))
    driven.seed(SEED)
    driven.run()
    return driven


def pages(directory: Path) -> dict[str, tuple[Mark, str | None, float]]:
    """Marks, twin and relevance of each page, by URL."""
    query = (
        "SELECT u.url, p.marks, t.url, p.relevance FROM pages p JOIN urls u ON u.id = p.id "
        "LEFT JOIN urls t ON t.id = p.twin"
    )
    with closing(sqlite3.connect(directory / "frontier.sqlite")) as connection:
        return {url: (Mark(marks), *rest) for url, marks, *rest in connection.execute(query)}


def test_every_page_of_a_mirror_is_fetched_and_marked_with_the_first_of_its_kind(
    tmp_path: Path,
) -> None:
    driven = crawl(tmp_path, mirrored())
    driven.close()
    found = pages(tmp_path)
    assert len(found) == 1 + 3 * PAGES
    assert sorted(driven.fetched) == sorted(found)
    for number in range(PAGES):
        copies = [found[f"{root}{number}"] for root in (HONEST, MIRROR, NEARLY)]
        originals = [one for one in copies if not one[0]]
        assert len(originals) == 1
        assert originals[0][2] == 0.9
        for marks, twin, relevance in copies:
            if marks:
                assert relevance == 0
                assert twin is not None
                assert found[twin][0] == Mark(0)
                assert twin.endswith(f"/{number}")


def test_exact_and_near_duplicates_are_told_apart_and_counted(tmp_path: Path) -> None:
    web = mirrored()
    web[SEED] = Page({f"{HONEST}0": 0.9}, relevance=0.5, text=text_of(99))
    web[f"{HONEST}{PAGES - 1}"].links.update({f"{MIRROR}0": 0.1, f"{NEARLY}0": 0.1})
    driven = crawl(tmp_path, web)
    counts = driven.backend.duplicates
    assert (counts.exact, counts.near) == (PAGES, PAGES)
    driven.close()
    found = pages(tmp_path)
    assert {found[f"{MIRROR}{n}"][:2] for n in range(PAGES)} == {
        (Mark.DUPLICATE, f"{HONEST}{n}") for n in range(PAGES)
    }
    assert {found[f"{NEARLY}{n}"][:2] for n in range(PAGES)} == {
        (Mark.NEAR_DUPLICATE, f"{HONEST}{n}") for n in range(PAGES)
    }


def test_links_of_a_copy_discover_and_weigh_nothing(tmp_path: Path) -> None:
    driven = crawl(tmp_path, mirrored())
    driven.close()
    with StoreReader.open(tmp_path) as reader:
        loaded = reader.load()
        for page in stored_pages(reader):
            if page.links and len(page.links.targets):
                copied = bool(loaded.marks[page.url_id])
                expected = ELSEWHERE | COPIED if copied else 0
                assert set((page.links.flags & (ELSEWHERE | COPIED)).tolist()) == {expected}


@pytest.mark.parametrize("strategy", ["ppr", "apprentice"])
def test_mirrors_do_not_raise_what_they_link_to(tmp_path: Path, strategy: str) -> None:
    """Five copies of a site that all link to one page, against a page with one honest link."""
    target, plain = "http://target.example/", "http://plain.example/"
    roots = [f"http://m{number}.example/" for number in range(5)]
    web = {
        SEED: Page({f"{root}0": 0.5 for root in (HONEST, *roots)}, relevance=0.5, text=text_of(99))
    }
    web |= site(HONEST)
    for root in roots:
        web |= site(root)
        for number in range(PAGES):
            web[f"{root}{number}"].links[target] = 0.5
    for number in range(PAGES):
        web[f"{HONEST}{number}"].links[plain] = 0.5
    scores = {}
    for similarity in (0.8, OFF):
        directory = tmp_path / f"{similarity}"
        driven = crawl(directory, web, strategy=strategy, duplicates=DuplicatePolicy(similarity))
        evidence = driven.backend.driver.evidence
        found = driven.backend.ledger.find([driven.config.identify(url) for url in (target, plain)])
        scores[similarity] = evidence.in_links[found].tolist()
        driven.close()
    assert scores[OFF][0] == 5 * PAGES
    assert scores[0.8][0] <= PAGES
    assert sum(scores[0.8]) <= PAGES


def test_a_page_that_names_another_address_is_left_to_the_page_rules(tmp_path: Path) -> None:
    web = mirrored()
    for number in range(PAGES):
        web[f"{MIRROR}{number}"].canonical = f"{HONEST}{number}"
        web[f"{HONEST}{number}"].canonical = f"{HONEST}{number}"
    driven = crawl(tmp_path, web)
    driven.close()
    found = pages(tmp_path)
    for number in range(PAGES):
        assert not found[f"{MIRROR}{number}"][0] & (Mark.DUPLICATE | Mark.NEAR_DUPLICATE)
        assert not found[f"{HONEST}{number}"][0] & Mark.DUPLICATE


def test_it_can_be_turned_off(tmp_path: Path) -> None:
    driven = crawl(tmp_path, mirrored(), duplicates=DuplicatePolicy(OFF))
    driven.close()
    assert {marks for marks, *_ in pages(tmp_path).values()} == {Mark(0)}
    with StoreReader.open(tmp_path) as reader:
        assert list(reader.signatures()) == []


def test_errors_and_what_was_not_read_are_nobodys_twins(tmp_path: Path) -> None:
    web = mirrored()
    for number in range(PAGES):
        web[f"{MIRROR}{number}"].status, web[f"{MIRROR}{number}"].state = 404, State.ERROR
        web[f"{NEARLY}{number}"].text = None
    driven = crawl(tmp_path, web)
    driven.close()
    assert {marks for marks, *_ in pages(tmp_path).values()} == {Mark(0)}


@pytest.mark.parametrize("stops", [(5,), (1, 2, 3, 20), tuple(range(1, 37, 3))])
def test_a_crawl_that_stops_and_goes_on_marks_the_same_pages(
    tmp_path: Path, stops: tuple[int, ...]
) -> None:
    whole = crawl(tmp_path / "whole", mirrored())
    counts = whole.backend.duplicates.exact, whole.backend.duplicates.near
    whole.close()
    order: list[str] = []
    for first, last in zip((0, *stops), (*stops, 1000), strict=True):
        driven = DrivenCrawl(tmp_path / "stopped", mirrored(), topic="words")
        if not first:
            driven.seed(SEED)
        driven.run(last - first)
        order += driven.fetched
        driven.close()
    assert order == whole.fetched
    assert pages(tmp_path / "stopped") == pages(tmp_path / "whole")
    assert (driven.backend.duplicates.exact, driven.backend.duplicates.near) == counts
