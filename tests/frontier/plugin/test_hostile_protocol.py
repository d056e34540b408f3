from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from frontier.records import PageRecord
from frontier.states import Mark, State
from frontier.store import StoreReader
from tests.support.hostile import HostileWeb, crawl, hostile
from tests.support.hostile_protocol import PROTOCOL, SECONDS, SIZE
from tests.support.scrapy_runs import Run


@dataclass
class Crawled:
    web: HostileWeb
    run: Run
    pages: dict[str, PageRecord]

    def first(self, case: str) -> PageRecord:
        return self.pages[self.web.url(case)]

    def outcome(self, case: str) -> tuple[str, str]:
        """What became of the first page, in the words of hostile_protocol.py."""
        page = self.first(case)
        if page.state is State.ERROR:
            return "error", page.error or ""
        if page.state is not State.CRAWLED:
            return page.state.name.lower(), page.error or ""
        if page.marks & Mark.TRUNCATED:
            return "cut", page.error or ""
        return ("page" if "/next" in self.web.paths(case) else "nothing"), ""


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    folder = tmp_path_factory.mktemp("protocol")
    with hostile({name: case for name, (case, _, _) in PROTOCOL.items()}) as web:
        run = crawl(
            folder,
            [web.url(case) for case in PROTOCOL],
            f"DOWNLOAD_TIMEOUT={SECONDS}",
            f"DOWNLOAD_MAXSIZE={SIZE}",
            "CONCURRENT_REQUESTS=64",
        )
        with StoreReader.open(folder / "job") as reader:
            rows = {row.url_id: row.url for row in reader.iter_urls()}
            pages = {rows[page.url_id]: page for page in reader.iter_pages()}
        yield Crawled(web, run, pages)


def test_the_crawl_ends_by_itself(crawled: Crawled) -> None:
    assert crawled.run.returncode == 0
    assert crawled.run.stats["finish_reason"] == "finished"


@pytest.mark.parametrize("case", PROTOCOL)
def test_a_server_that_breaks_the_protocol(crawled: Crawled, case: str) -> None:
    _, kinds, text = PROTOCOL[case]
    kind, said = crawled.outcome(case)
    assert kind in kinds, said
    assert kind not in ("cut", "error") or re.search(text, said), said


@pytest.mark.parametrize(
    "case", [name for name, (_, kinds, _) in PROTOCOL.items() if kinds == ["cut"]]
)
def test_what_came_of_a_page_is_used(crawled: Crawled, case: str) -> None:
    assert "/next" in crawled.web.paths(case)


@pytest.mark.parametrize("case", PROTOCOL)
def test_no_server_is_asked_again_and_again(crawled: Crawled, case: str) -> None:
    assert crawled.web.paths(case).count("/") <= 3
