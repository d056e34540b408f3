"""Programs of Frontera that name our backend: with its own manager, requests and strategies."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from frontera import FrontierTester
from frontera.core.components import States
from frontera.core.models import Request, Response
from frontera.utils.fingerprint import sha1
from frontera.utils.tester import BaseDownloaderSimulator, DownloaderSimulator
from frontera.worker.strategies.bfs import CrawlingStrategy
from lxml import html

from frontier.errors import CrawlChangedError, SettingsError
from frontier.inspection import CrawlView
from frontier.store import StoreReader
from ranking.errors import TopicError, UnknownOrderError
from tests.support.driven_crawl import AtOnce
from tests.support.frontera_program import BACKEND, Graph, Program, manager_of, reachable, tree
from tests.support.stored import stored_pages, stored_urls
from tests.test_docs import ROOT

A, B, C = "http://aaa.com/1", "http://bbb.com/1", "http://ccc.com/1"
SITES = {**tree(A, 4), **tree(B, 4), **tree(C, 5, self_link=True)}
HUB = "http://hub.com/"
STAR = {HUB: [f"http://s{i}.com/" for i in range(30)]} | {
    f"http://s{i}.com/": [HUB, "http://known.com/", f"http://s{i}.com/own"] for i in range(30)
}
HERE = "tests.frontier.plugin.test_frontera"
OWN = "frontier.strategy.order_driver.OrderDriver"
BFS = "frontera.worker.strategies.bfs.CrawlingStrategy"


def one_page(body: str | bytes, headers: dict[str, str] | None = None, **settings: Any) -> Any:
    """Relevance of a page by its response's body."""
    manager = manager_of(FRONTIER_TOPIC="steam locomotives", FRONTIER_VECTORS="off", **settings)
    manager.add_seeds([Request(A)])
    (request,) = manager.get_next_requests(1)
    manager.page_crawled(Response(A, headers=headers, body=body, request=request))
    manager.stop()
    return request.meta[b"relevance"]


# -- as Frontera's own tests drive every backend --------------------------------------------------


@pytest.mark.parametrize("backend", [BACKEND, "frontier.backend.backend.LinkRankBackend"])
@pytest.mark.parametrize("strategy", [None, OWN, BFS])
@pytest.mark.parametrize("simulator", [BaseDownloaderSimulator, lambda: DownloaderSimulator(1)])
@pytest.mark.parametrize("in_directory", [False, True])
def test_each_page_is_asked_for_once_with_all_of_its_request(
    backend: str,
    strategy: str | None,
    simulator: Callable[[], Any],
    in_directory: bool,
    tmp_path: Path,
) -> None:
    settings = {} if strategy is None else {"CRAWLING_STRATEGY": strategy}
    directory = tmp_path if in_directory else None
    manager = manager_of(directory, BACKEND=backend, TEST_MODE=True, **settings)
    web, seeds = {**SITES, "A": ["B", "C"], "B": ["A", "A"], "C": ["C"]}, (A, B, C, "A")
    failing = "http://aaa.com/12"
    # It makes POST requests with a header, a cookie and meta, and asserts that they come back.
    tester = FrontierTester(manager, Graph(web, seeds, [failing]), simulator(), 3)
    tester.run()
    asked = [request.url for requests, _, _ in tester.sequence for request in requests]
    assert len(asked) == len(set(asked))
    assert set(asked) == reachable({**web, failing: []}, seeds)


def test_breadth_first_goes_level_by_level() -> None:
    program = Program(manager_of(FRONTIER_STRATEGY="bfs"), {**tree(A, 4), **tree(B, 4)})
    program.seed(A, B)
    depths = [len(url) - len(A) for url in program.run(at_once=2)]
    assert depths == [0] * 2 + [1] * 4 + [2] * 8 + [3] * 16
    assert [request.meta[b"depth"] for request in program.requests] == depths
    program.manager.stop()


def test_hosts_that_are_overused_have_to_wait() -> None:
    manager = manager_of()
    manager.add_seeds([Request(A), Request(B)])
    overused = manager.get_next_requests(10, key_type="domain", overused_keys=["aaa.com"])
    assert [one.url for one in overused] == [B]
    assert [one.url for one in manager.get_next_requests(10, overused_keys=[])] == [A]
    manager.stop()


def test_the_end_is_when_nothing_is_queued_and_no_answer_is_half() -> None:
    manager = manager_of()
    manager.add_seeds([Request(A)])
    assert not manager.finished
    (request,) = manager.get_next_requests(1)
    assert manager.finished
    manager.page_crawled(Response(A, request=request))
    assert not manager.finished
    assert manager.get_next_requests(1) == []
    assert manager.finished
    manager.stop()


# -- several runs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", [OWN, BFS])
def test_two_runs_fetch_what_one_fetches(strategy: str, tmp_path: Path) -> None:
    asked: list[str] = []
    for pages in (11, 10_000):
        manager = manager_of(tmp_path, CRAWLING_STRATEGY=strategy)
        program = Program(manager, SITES, ["http://bbb.com/12"])
        program.seed(A, B, C)
        asked += program.run(pages, at_once=4)
        manager.stop()
    assert len(asked) == len(set(asked))
    assert set(asked) == reachable({**SITES, "http://bbb.com/12": []}, (A, B, C))


def test_what_was_not_answered_is_asked_for_again_as_it_was(tmp_path: Path) -> None:
    manager = manager_of(tmp_path)
    request = Request(A, method="POST", headers={b"H": b"\xff"}, cookies={b"c": b"1"}, body=b"\xfe")
    request.meta[b"key"] = (b"\xff", [1, None])
    manager.add_seeds([request])
    assert len(manager.get_next_requests(5)) == 1
    manager.stop()
    manager = manager_of(tmp_path)
    (again,) = manager.get_next_requests(5)
    assert (again.url, again.method, again.headers) == (A, b"POST", {b"H": b"\xff"})
    assert (again.cookies, again.body, again.meta[b"key"]) == (
        {b"c": b"1"},
        b"\xfe",
        (b"\xff", [1, None]),
    )
    manager.stop()


def test_a_run_that_is_killed_loses_no_more_than_its_last_answers(tmp_path: Path) -> None:
    code = f"""
import os
from pathlib import Path
from tests.frontier.plugin.test_frontera import A, SITES, Program, manager_of
program = Program(manager_of(Path({str(tmp_path)!r})), SITES)
program.seed(A)
program.run(5)
program.manager.get_next_requests(2)
os._exit(9)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60, check=False)
    assert done.returncode == 9
    manager = manager_of(tmp_path)
    assert manager.backend.queue.count() >= 2
    rest = Program(manager, SITES).run()
    manager.stop()
    assert len(rest) == len(set(rest))
    with StoreReader.open(tmp_path) as reader:
        urls = {row.url_id: row.url for row in stored_urls(reader)}
        assert {urls[page.url_id] for page in stored_pages(reader)} == reachable(SITES, [A])
    assert len(rest) == 15 - 5


def test_urls_may_be_the_strings_of_a_parser(tmp_path: Path) -> None:
    found = html.fromstring(f"<a href={A}>a</a><a href={B}>b</a>").xpath("//@href")
    assert type(found[0]) is not str
    for directory in (None, tmp_path):
        manager = manager_of(directory, FRONTIER_TOPIC="x y", FRONTIER_VECTORS="off")
        manager.add_seeds([Request(found[0])])
        (request,) = manager.get_next_requests(1)
        manager.page_crawled(Response(A, request=request))
        manager.links_extracted(request, [Request(found[1])])
        (request,) = manager.get_next_requests(1)
        assert request.url == B
        assert directory is None or type(request.url) is str
        manager.stop()


def test_without_a_directory_the_very_request_comes_back() -> None:
    manager = manager_of()
    request = Request(A, meta={b"call": lambda: None})
    manager.add_seeds([request])
    assert manager.get_next_requests(1) == [request]
    manager.stop()


def test_a_request_that_cannot_be_saved_is_fetched_as_its_url_in_the_next_run(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    manager = manager_of(tmp_path)
    requests = [Request(url, meta={b"call": lambda: None}) for url in (A, B)]
    manager.add_seeds(requests)
    assert f"Cannot save {A}" in caplog.text
    (lease,) = manager.get_next_requests(1)
    assert lease in requests
    manager.stop()
    manager = manager_of(tmp_path)
    assert {one.url for one in manager.get_next_requests(2)} == {A, B}
    assert f"Cannot restore the request for {A}" in caplog.text
    manager.stop()


def test_a_seed_that_failed_is_tried_again_and_no_other() -> None:
    program = Program(manager_of(), {A: [B]}, [A])
    program.seed(A, C, A)
    assert sorted(program.run()) == [A, C]
    program.errors.clear()
    program.seed(A, C)
    assert program.run()[2:] == [A, B]
    program.manager.stop()


# -- middlewares, fingerprints, redirects ---------------------------------------------------------


def test_what_middlewares_write_into_requests_comes_with_them(tmp_path: Path) -> None:
    for directory in (None, tmp_path):
        manager = manager_of(directory)
        program = Program(manager, {A: ["http://aaa.com/x?b=1&a=2#f", "http://aaa.com/x?a=2&b=1"]})
        program.seed(A)
        assert len(program.run()) == 2
        for request in program.requests:
            assert request.meta[b"domain"][b"netloc"] == b"aaa.com"
            assert request.meta[b"domain"][b"fingerprint"] == sha1("aaa.com")
        assert program.requests[1].meta[b"fingerprint"] == sha1("http://aaa.com/x?a=2&b=1")
        manager.stop()


def test_without_middlewares_urls_are_told_apart_all_the_same() -> None:
    program = Program(manager_of(MIDDLEWARES=[]), SITES)
    program.seed(A)
    assert set(program.run()) == reachable(SITES, [A])
    program.manager.stop()


def test_a_fingerprint_of_the_program_is_what_a_request_is_known_by(tmp_path: Path) -> None:
    asked = []
    for _ in range(2):
        manager = manager_of(tmp_path, MIDDLEWARES=[])
        bodies = (b"q=1", b"q=2", b"q=1")
        manager.add_seeds(
            [Request(A, "POST", body=body, meta={b"fingerprint": sha1(body)}) for body in bodies]
        )
        for request in manager.get_next_requests(9):
            asked.append(request.body)
            manager.page_crawled(Response(A, request=request))
        manager.stop()
    assert sorted(asked) == [b"q=1", b"q=2"]


def test_a_redirect_answers_the_request_that_was_made(tmp_path: Path) -> None:
    manager = manager_of(tmp_path)
    manager.add_seeds([Request(A), Request(B)])
    by_url = {one.url: one for one in manager.get_next_requests(2)}
    by_url[A].meta[b"redirect_urls"] = [A]
    manager.page_crawled(Response(B, request=by_url[A]))  # where another request is in flight
    manager.links_extracted(by_url[A], [Request(C)])
    assert [one.url for one in manager.get_next_requests(9)] == [C]
    manager.stop()
    with CrawlView.open(tmp_path) as view:
        assert view.url(A).final_url == B
        assert (view.url(A).state, view.url(B).state) == ("crawled", "leased")


# -- answers in halves, and unasked ---------------------------------------------------------------


def test_links_may_come_before_their_page_in_parts_or_late(tmp_path: Path) -> None:
    manager = manager_of(tmp_path)
    manager.add_seeds([Request(A), Request(B), Request(C)])
    by_url = {one.url: one for one in manager.get_next_requests(3)}
    manager.links_extracted(by_url[A], [Request("http://aaa.com/2")])
    manager.links_extracted(by_url[A], [Request("http://aaa.com/3")])
    for url in (A, B, C):
        manager.page_crawled(Response(url, request=by_url[url]))
    manager.links_extracted(by_url[B], [Request("http://bbb.com/2")])
    found = {one.url for one in manager.get_next_requests(9)}
    assert found == {"http://aaa.com/2", "http://aaa.com/3", "http://bbb.com/2"}
    assert manager.get_next_requests(9) == []
    manager.links_extracted(by_url[C], [Request("http://ccc.com/2")])
    (late,) = manager.get_next_requests(9)
    assert (late.url, late.meta[b"depth"]) == ("http://ccc.com/2", 1)
    manager.stop()
    with StoreReader.open(tmp_path) as reader:
        urls = [row.url for row in stored_urls(reader)]
        links = {urls[page.url_id]: page.links for page in stored_pages(reader)}
    assert {url: len(one.targets) for url, one in links.items() if one} == {A: 2, B: 1, C: 0}


def test_links_of_a_page_that_fails_afterwards_are_followed() -> None:
    manager = manager_of()
    manager.add_seeds([Request(A)])
    (request,) = manager.get_next_requests(1)
    manager.links_extracted(request, [Request(B)])
    manager.request_error(request, "its items could not be written")
    assert [link.url for link in manager.get_next_requests(9)] == [B]
    manager.stop()


def test_a_page_that_was_fetched_unasked_is_not_fetched_again() -> None:
    program = Program(manager_of(), {B: [A], C: [A]})
    program.seed(B, C)
    unasked = Request(B)
    program.manager.page_crawled(Response(B, request=unasked))
    program.manager.links_extracted(unasked, [Request(A)])
    program.manager.request_error(Request("http://gone.com/"), "404")
    program.manager.links_extracted(unasked, [Request("http://gone.com/")])
    assert sorted(program.run()) == [A, C]
    program.manager.stop()


def test_a_page_that_answers_with_an_error_counts_as_failed_and_its_links_are_followed(
    tmp_path: Path,
) -> None:
    manager = manager_of(tmp_path)
    manager.add_seeds([Request(A), Request(C)])
    for request in manager.get_next_requests(2):
        manager.page_crawled(Response(request.url, 404, body=b"gone", request=request))
        if request.url == A:
            manager.links_extracted(request, [Request(B)])
    assert [one.url for one in manager.get_next_requests(2)] == [B]
    manager.stop()
    with CrawlView.open(tmp_path) as view:
        assert [(view.url(url).state, view.url(url).error) for url in (A, C)] == [
            ("error", "HTTP 404")
        ] * 2


# -- scores and relevance -------------------------------------------------------------------------


def test_scores_are_recomputed_while_the_program_crawls() -> None:
    manager = manager_of(FRONTIER_STRATEGY="pagerank", LINKRANK_EXECUTOR=AtOnce())
    program = Program(manager, STAR)
    program.seed(HUB)
    program.run(30)
    # Each of these pages has one link, from a page that the hub alone links to.
    own = [one.meta[b"score"] for one in program.requests if one.url.endswith("own")]
    assert len(own) > 10
    assert len(set(own)) == 3, "before the first re-rank, after it, after the second"
    assert program.asked[2] == "http://known.com/"
    manager.stop()


def words(url: str) -> str:
    subject = "steam locomotives and railways" if "rail" in url else "tulips and gardening"
    return f"<title>{subject}</title><p>All about {subject}. {url}"


def test_a_topic_sends_the_program_to_relevant_pages_first(tmp_path: Path) -> None:
    web = {A: ["http://rail.com/", "http://tulip.com/"]}
    for site in ("rail", "tulip"):
        web[f"http://{site}.com/"] = [f"http://{site}.com/{n}" for n in range(20)]
    manager = manager_of(tmp_path, FRONTIER_TOPIC="steam locomotives", FRONTIER_VECTORS="off")
    program = Program(manager, web, body=words)
    program.seed(A)
    program.run(22)
    relevance = {one.url: one.meta[b"relevance"] for one in program.requests}
    assert relevance["http://rail.com/"] > 0.7
    assert relevance.get("http://tulip.com/", 0) < 0.3
    assert sum("rail" in url for url in program.asked) >= 18
    program.manager.stop()
    with CrawlView.open(tmp_path) as view:
        assert view.url("http://rail.com/").relevance == pytest.approx(
            relevance["http://rail.com/"]
        )


def test_texts_of_links_are_those_that_stand_on_the_page() -> None:
    manager = manager_of(FRONTIER_TOPIC="steam locomotives", FRONTIER_VECTORS="off")
    manager.add_seeds([Request(A)])
    (request,) = manager.get_next_requests(1)
    body = '<a href="/2">tulips</a><hr><a href="/3">steam locomotives</a>'
    manager.page_crawled(Response(A, body=body, request=request))
    manager.links_extracted(request, [Request(f"http://aaa.com/{n}") for n in (2, 3)])
    assert manager.get_next_requests(1)[0].url == "http://aaa.com/3"
    manager.stop()


def test_a_body_is_read_as_its_headers_and_its_bytes_have_it() -> None:
    text = "Züge: steam locomotives of the railway"
    assert one_page(f"<html><p>{text}") > 0.7
    assert one_page(text.encode("latin-1"), {"Content-Type": "text/plain; charset=latin-1"}) > 0.7
    assert (
        one_page(f"<p>{text}".encode("utf-16"), {"Content-Type": "text/html; charset=utf-16"}) > 0.7
    )
    assert one_page("<p>tulips") < 0.3
    assert one_page(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR steam locomotives") == 0
    assert one_page("") is None
    assert one_page(b"") is None


def test_a_topic_model_that_fails_costs_a_page_its_relevance_only(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert one_page("<p>steam", TOPIC_MODEL=f"{HERE}.Failing") is None
    assert "Cannot read" in caplog.text


class Failing:
    """A topic model that judges nothing."""

    def fit(self, topic: str, examples: list[str]) -> None: ...

    def relevance(self, text: str) -> float:
        raise RuntimeError(text)

    def predict(self, anchor: str, context: str, url: str) -> float:
        raise RuntimeError(anchor)

    def predict_links(self, links: list[tuple[str, str, str]]) -> list[float]:
        raise RuntimeError(links)

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: dict[str, Any]) -> None: ...


# -- a strategy of the program's own --------------------------------------------------------------


class Scored(CrawlingStrategy):
    """Follows links that end in a digit, the largest first; ends after `http://end.com/`."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.ended = self.closed = False

    def get_score(self, url: str) -> float:
        return int(url[-1]) / 10

    def page_crawled(self, response: Response) -> None:
        self.ended = response.url == "http://end.com/"
        super().page_crawled(response)

    def links_extracted(self, request: Request, links: list[Request]) -> None:
        super().links_extracted(request, [link for link in links if link.url[-1].isdigit()])

    def finished(self) -> bool:
        return self.ended

    def close(self) -> None:
        self.closed = True
        super().close()


class Restless(CrawlingStrategy):
    """Retries what failed, looks at A twice, raises the score of what it finds twice."""

    revisits = 2

    def page_crawled(self, response: Response) -> None:
        super().page_crawled(response)
        self.revisits -= response.url == A
        if response.url == A and self.revisits:
            self.schedule(response.request, 0.9)

    def links_extracted(self, request: Request, links: list[Request]) -> None:
        self.refresh_states(links)
        for link in links:
            self.schedule(
                link,
                0.5 if link.meta[b"state"] == States.QUEUED else 0.1,
                dont_queue=link.meta[b"state"] != States.NOT_CRAWLED,
            )
        more = self.create_request("http://made.com/", meta={b"by": b"the strategy"})
        self.schedule(more, 0.05, dont_queue=request.url != A)

    def page_error(self, request: Request, error: str) -> None:
        self.schedule(request, 0.01)


DIGITS = {A: [f"http://d.com/{n}" for n in (3, 9, 1, 3)] + ["http://d.com/x"]}


def test_a_strategy_of_the_program_chooses_and_orders(tmp_path: Path) -> None:
    manager = manager_of(tmp_path, CRAWLING_STRATEGY=f"{HERE}.Scored")
    program = Program(manager, DIGITS)
    program.seed(A)
    assert program.run(2) == [A, "http://d.com/9"]
    assert program.requests[1].meta[b"score"] == 0.9
    manager.stop()
    manager = manager_of(tmp_path, CRAWLING_STRATEGY=f"{HERE}.Scored")
    rest = Program(manager, DIGITS)
    rest.seed(A, "http://end.com/")
    assert rest.run() == ["http://end.com/"]
    strategy = manager.backend._strategy
    assert not strategy.closed
    manager.stop()
    assert strategy.closed
    manager = manager_of(tmp_path, CRAWLING_STRATEGY=f"{HERE}.Scored")
    assert Program(manager, DIGITS).run() == ["http://d.com/3", "http://d.com/1"]
    manager.stop()
    with CrawlView.open(tmp_path) as view, pytest.raises(LookupError):
        view.url("http://d.com/x")


def test_a_strategy_may_retry_come_back_change_scores_and_make_requests(tmp_path: Path) -> None:
    manager = manager_of(tmp_path, CRAWLING_STRATEGY=f"{HERE}.Restless")
    flaky, twice = "http://d.com/flaky", "http://d.com/twice"
    web = {A: ["http://d.com/1", twice, flaky], "http://d.com/1": [twice]}
    program = Program(manager, {A: ["http://d.com/1", "http://d.com/2", twice]}, [flaky])
    program.web = web
    program.seed(A)
    asked = program.run(3)
    assert asked[:2] == [A, A]
    program.errors.clear()
    asked = program.run()
    assert sorted(asked[2:]) == sorted(["http://d.com/1", twice, flaky, "http://made.com/"])
    made = next(one for one in program.requests if one.url == "http://made.com/")
    assert made.meta[b"by"] == b"the strategy"
    manager.stop()


# -- errors ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error", "parts"),
    [
        ({"FRONTIER_TOPICS": "x"}, SettingsError, ("FRONTIER_TOPICS", "mean FRONTIER_TOPIC?")),
        ({"FRONTIER_PROGRESS": True}, SettingsError, ("no effect in a program of Frontera",)),
        ({"FRONTIER_STRATEGY": "bsf"}, UnknownOrderError, ("bsf", "mean bfs?")),
        ({"FRONTIER_TOPIC": "!"}, SettingsError, ("FRONTIER_TOPIC must hold words",)),
        ({"FRONTIER_DAMPING": "much"}, SettingsError, ("FRONTIER_DAMPING must be a number",)),
        ({"CRAWLING_STRATEGY": "bfs"}, SettingsError, ("CRAWLING_STRATEGY", "full path")),
        ({"CRAWLING_STRATEGY": "no.such.Class"}, SettingsError, ("CRAWLING_STRATEGY", "no.such")),
        (
            {"CRAWLING_STRATEGY": f"{HERE}.Failing"},
            SettingsError,
            ("a subclass of", "FRONTIER_STRA"),
        ),
    ],
)
def test_settings_that_cannot_be_used_are_named(
    settings: dict[str, Any], error: type[Exception], parts: tuple[str, ...], tmp_path: Path
) -> None:
    with pytest.raises(error) as raised:
        manager_of(tmp_path / "crawl", **settings)
    assert all(part in str(raised.value) for part in parts)
    assert not (tmp_path / "crawl").exists()


def test_another_crawl_in_the_directory_is_left_as_it_is(tmp_path: Path) -> None:
    manager_of(tmp_path, FRONTIER_STRATEGY="bfs").stop()
    with pytest.raises(CrawlChangedError):
        manager_of(tmp_path, FRONTIER_STRATEGY="hits")
    manager_of(tmp_path, FRONTIER_STRATEGY="bfs").stop()


def test_a_topic_model_that_cannot_be_had_lets_go_of_the_directory(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(TopicError, match=r"no\.such\.Model"):
            manager_of(tmp_path, FRONTIER_TOPIC="x y", TOPIC_MODEL="no.such.Model")
