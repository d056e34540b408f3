from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from frontier.records import PageRecord
from frontier.states import State
from frontier.store import StoreReader
from tests.support.hostile import crawl
from tests.support.hostile_tls import CERTIFICATES, HANDSHAKES, TlsWeb, tls_web
from tests.support.scrapy_runs import Run


@dataclass
class Crawled:
    web: TlsWeb
    run: Run
    pages: dict[str, PageRecord]

    def outcome(self, case: str) -> str:
        page = self.pages[self.web.urls[case]]
        kind = "page" if page.state is State.CRAWLED else page.state.name.lower()
        return f"{kind}: {page.error}" if page.error else kind


def _crawled(folder: Path, seeds: Iterable[str], *settings: str) -> Iterator[Crawled]:
    with pytest.MonkeyPatch.context() as patch, tls_web(folder) as web:
        patch.setenv("SSL_CERT_FILE", str(web.roots))
        run = crawl(
            folder,
            [web.urls[one] for one in seeds],
            "DOWNLOAD_TIMEOUT=5",
            "CONCURRENT_REQUESTS=32",
            # Of each host only the first page is looked at; robots.txt would fail as it does.
            "ROBOTSTXT_OBEY=0",
            *settings,
        )
        with StoreReader.open(folder / "job") as reader:
            urls = {row.url_id: row.url for row in reader.iter_urls()}
            pages = {urls[page.url_id]: page for page in reader.iter_pages()}
        yield Crawled(web, run, pages)


@pytest.fixture(scope="module")
def as_they_are(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    yield from _crawled(tmp_path_factory.mktemp("tls"), [*CERTIFICATES, *HANDSHAKES])


@pytest.fixture(scope="module")
def verified(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    folder = tmp_path_factory.mktemp("tls")
    yield from _crawled(folder, CERTIFICATES, "DOWNLOAD_VERIFY_CERTIFICATES=1")


def _fits(expected: str, outcome: str) -> bool:
    kind, _, text = expected.partition(": ")
    if not text:
        return outcome == kind
    return re.match(f"{kind}: .*({text})", outcome) is not None


@pytest.mark.parametrize("case", CERTIFICATES)
def test_a_certificate_that_is_not_in_order_is_noted_with_the_page(
    as_they_are: Crawled, case: str
) -> None:
    assert _fits(CERTIFICATES[case].plain, as_they_are.outcome(case)), as_they_are.outcome(case)
    assert (case, "/next") in as_they_are.web.asked


@pytest.mark.parametrize("case", CERTIFICATES)
def test_a_certificate_that_must_be_in_order_is_refused_before_anything_is_asked(
    verified: Crawled, case: str
) -> None:
    expected = CERTIFICATES[case].verified
    assert _fits(expected, verified.outcome(case)), verified.outcome(case)
    assert ((case, "/") in verified.web.asked) == (expected == "page")


@pytest.mark.parametrize("case", HANDSHAKES)
def test_a_handshake_that_fails_is_recorded_with_its_reason(
    as_they_are: Crawled, case: str
) -> None:
    outcome = as_they_are.outcome(case)
    assert _fits(f"error: {HANDSHAKES[case][1]}", outcome), outcome


@pytest.mark.parametrize("case", HANDSHAKES)
def test_what_will_not_change_is_tried_once(as_they_are: Crawled, case: str) -> None:
    final = as_they_are.outcome(case).startswith("error: CertificateError")
    assert as_they_are.web.connected.count(case) == (1 if final else 2)


def test_both_crawls_end_by_themselves(as_they_are: Crawled, verified: Crawled) -> None:
    for one in (as_they_are, verified):
        assert one.run.returncode == 0
        assert one.run.stats["finish_reason"] == "finished"
