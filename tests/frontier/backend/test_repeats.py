"""Known URLs are fetched again: for further requests, and where they failed for a reason."""

from __future__ import annotations

from pathlib import Path

from frontier.states import State
from tests.support.driven_crawl import A, B, C, DrivenCrawl, Page

D = "http://d.example/"
ALONE = {
    A: Page(),
    B: Page(error="refused: port 80", status=0, state=State.ERROR),
    C: Page(error="another reason", status=0, state=State.ERROR),
    D: Page(error="refused: port 81", status=0, state=State.ERROR),
}


def crawl_of(*urls: str, directory: Path | None = None) -> DrivenCrawl:
    crawl = DrivenCrawl(directory, ALONE, strategy="bfs")
    crawl.seed(*urls)
    return crawl


def test_a_further_request_for_a_url_that_waits_is_fetched_after_its_answer() -> None:
    crawl = crawl_of(A, B)
    crawl.ask(A, again=True)
    assert [lease.url for lease in crawl.take(9)] == [A, B]
    crawl.close()
    crawl = crawl_of(A)
    crawl.ask(A, again=True)
    crawl.run()
    assert crawl.fetched == [A, A]
    crawl.close()


def test_a_further_request_for_a_url_in_flight_waits_for_its_answer() -> None:
    crawl = crawl_of(A)
    (lease,) = crawl.take(1)
    crawl.ask(A, again=True)
    assert crawl.take(1) == []
    crawl.answer(lease)
    crawl.run()
    assert crawl.fetched == [A, A]
    crawl.close()


def test_a_further_request_for_a_fetched_url_is_queued_at_once() -> None:
    crawl = crawl_of(A)
    crawl.run()
    crawl.ask(A, again=True)
    crawl.ask(A, again=True)
    crawl.run()
    assert crawl.fetched == [A, A, A]
    crawl.close()


def test_a_request_that_is_filtered_is_not_fetched_again() -> None:
    crawl = crawl_of(A)
    crawl.ask(A)
    crawl.run()
    crawl.ask(A)
    crawl.run()
    assert crawl.fetched == [A]
    crawl.close()


def test_a_crawl_that_goes_on_queues_urls_that_failed_for_a_reason(tmp_path: Path) -> None:
    crawl = crawl_of(A, B, C, directory=tmp_path)
    crawl.ask(D, fingerprint=7)  # as of a POST: its URL does not say all
    crawl.run()
    crawl.close()
    again = crawl_of(directory=tmp_path)
    again.backend.requeue_failed("refused")
    assert [lease.url for lease in again.take(9)] == [B]
    again.close()
