"""One crawl over every case of `hostile_duplicates`, with the servers' log as witness."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from frontier.records import PageRecord
from frontier.states import ELSEWHERE, Mark
from frontier.store import StoreReader
from tests.support.hostile import HostileWeb, crawl, hostile
from tests.support.hostile_duplicates import CASES, KEPT, MIRRORED, MIRRORS, ONCE, SENT_ON, found
from tests.support.scrapy_runs import Run

COPIES = Mark.DUPLICATE | Mark.NEAR_DUPLICATE


@dataclass(frozen=True)
class Crawled:
    web: HostileWeb
    run: Run
    rows: dict[str, PageRecord]
    """By URL."""
    urls: dict[int, str]

    def of_case(self, case: str) -> dict[str, PageRecord]:
        """Pages of a case, by path."""
        root = self.web.url(case)
        return {url.removeprefix(root): row for url, row in self.rows.items() if root in url}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    folder = tmp_path_factory.mktemp("duplicates")
    with hostile(CASES) as web:
        run = crawl(folder, [web.url(case) for case in CASES], "CONCURRENT_REQUESTS=32")
        with StoreReader.open(folder / "job") as reader:
            urls = {row.url_id: row.url for row in reader.iter_urls()}
            rows = {urls[page.url_id]: page for page in reader.iter_pages()}
    return Crawled(web, run, rows, urls)


@pytest.mark.parametrize("case", ONCE)
def test_one_resource_is_asked_for_once_however_it_is_spelled(crawled: Crawled, case: str):
    assert len(found(crawled.web, case)) == 1


@pytest.mark.parametrize("case", KEPT)
def test_two_resources_are_both_asked_for(crawled: Crawled, case: str):
    assert len(found(crawled.web, case)) == 2


@pytest.mark.parametrize("case", SENT_ON)
def test_a_page_that_sends_on_to_another_spelling_of_itself_is_read_there(
    crawled: Crawled, case: str
):
    start, target, _ = SENT_ON[case]
    assert found(crawled.web, case) == [start, target, "/behind"]


def test_sessions_that_are_minted_by_redirects_end(crawled: Crawled):
    assert 2 <= len(found(crawled.web, "minted")) <= 21


def test_a_host_is_one_with_credentials_and_other_spellings_of_its_port(crawled: Crawled):
    assert found(crawled.web, "own_host") == ["/a"]


def test_every_page_of_every_mirror_is_fetched(crawled: Crawled):
    for case in MIRRORS:
        assert len(set(crawled.web.paths(case))) == MIRRORED


@pytest.mark.parametrize("number", range(MIRRORED))
def test_of_three_copies_two_are_marked_with_the_third(crawled: Crawled, number: int):
    path = str(number or "")
    rows = [crawled.of_case(case)[path] for case in MIRRORS]
    originals = [row for row in rows if not row.marks & COPIES]
    assert len(originals) == 1
    for row in rows:
        if row.marks & COPIES:
            assert row.twin == originals[0].url_id
            assert row.links is not None
            assert ((row.links.flags & ELSEWHERE) > 0).all()


def test_exact_copies_and_near_ones_are_told_apart(crawled: Crawled):
    first, mirror, nearly = (crawled.of_case(case) for case in MIRRORS)
    for path, row in nearly.items():
        same = {first[path].marks & COPIES, mirror[path].marks & COPIES}
        if row.marks & COPIES:
            assert row.marks & COPIES == Mark.NEAR_DUPLICATE
            assert same == {Mark(0), Mark.DUPLICATE}
        else:  # it was answered first
            assert same == {Mark.NEAR_DUPLICATE}


def test_what_was_marked_is_counted(crawled: Crawled):
    marks = [row.marks for row in crawled.rows.values()]
    stats = crawled.run.stats
    assert stats["frontier/duplicates/exact"] == sum(Mark.DUPLICATE in one for one in marks)
    assert stats["frontier/duplicates/near"] == sum(Mark.NEAR_DUPLICATE in one for one in marks)
    assert stats["frontier/duplicates/exact"] + stats["frontier/duplicates/near"] >= 2 * MIRRORED


def test_products_of_a_shop_with_one_menu_are_no_copies(crawled: Crawled):
    rows = crawled.of_case("shop")
    assert len(rows) == 41
    assert [row.marks & COPIES for row in rows.values()] == [Mark(0)] * 41
