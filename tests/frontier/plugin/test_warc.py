from __future__ import annotations

import gzip
import os
import signal
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from scrapy import Request, Spider
from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.settings import Settings
from scrapy.statscollectors import MemoryStatsCollector
from warcio.archiveiterator import ArchiveIterator

from frontier.errors import RecordingError
from frontier.plugin.extensions.warc import WarcRecorder
from frontier.web.recorded_web import RecordedWeb
from frontier.web.serving import WebAnswer, WebServer, text_answer
from tests.support.scrapy_forks import shared_forks
from tests.support.scrapy_runs import ROOT, scrapy

A = "http://a.example/"
PACKED = gzip.compress(b"<p>packed " * 100, mtime=0)
PAGES = {
    f"{A}robots.txt": text_answer(200, "User-agent: *\nDisallow: /private\n"),
    A: WebAnswer(
        200,
        [("Content-Type", "text/html; charset=iso-8859-1"), ("Set-Cookie", "a=1"), ("X", "é")],
        "".join(
            f'<a href="{name}">é</a>' for name in ("packed", "moved", "missing", "picture", "busy")
        ).encode("latin-1"),
    ),
    f"{A}packed": WebAnswer(
        200, [("Content-Type", "text/html"), ("Content-Encoding", "gzip")], PACKED
    ),
    f"{A}moved": WebAnswer(302, [("Location", "/target")], b"moved"),
    f"{A}target": WebAnswer(200, [("Content-Type", "text/html")], b"<p>target"),
    f"{A}picture": WebAnswer(200, [("Content-Type", "image/png")], bytes(range(256)) * 20),
}
PROJECT = {
    "scrapy.cfg": "[settings]\ndefault = recproject.settings\n",
    "recproject/__init__.py": "",
    "recproject/settings.py": """
SPIDER_MODULES = ["recproject"]
ROBOTSTXT_OBEY = True
TELNETCONSOLE_ENABLED = False
RETRY_TIMES = 1
""",
    "recproject/spider.py": """
import scrapy


class Follow(scrapy.Spider):
    name = "follow"

    async def start(self):
        yield scrapy.Request(self.first)

    def parse(self, response):
        yield {"url": response.url}
        if response.headers.get("Content-Type", b"").startswith(b"text/html"):
            yield from response.follow_all(css="a")
""",
}


class Small:
    """A few pages, and one that is busy the first time."""

    def __init__(self) -> None:
        self.busy = True

    def answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> WebAnswer:
        if url == f"{A}busy":
            self.busy, busy = False, self.busy
            return text_answer(503, "busy") if busy else text_answer(200, "at last")
        return PAGES.get(url) or text_answer(404, f"no {url}")


class Endless:
    """Every page links to the next one."""

    def __init__(self) -> None:
        self.many = threading.Event()

    def answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> WebAnswer:
        number = int(url.rpartition("/")[2] or 0) if "robots" not in url else 0
        if number > 50:
            self.many.set()
        page = f'<a href="/{number + 1}">next</a>' + "text " * 500
        return WebAnswer(200, [("Content-Type", "text/html")], page.encode())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in PROJECT.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "project"


EXTENSION = ("-s", 'EXTENSIONS={"frontier.plugin.extensions.warc.WarcRecorder": 0}')


def run(project: Path, proxy: str, *arguments: str) -> None:
    done = scrapy(*arguments, cwd=project, env={"http_proxy": proxy})
    assert done.returncode == 0, done.stderr


def make_crawler(**settings: str) -> Crawler:
    """A crawler that is not going to crawl, so that it needs no reactor."""
    crawler = Crawler(Spider, Settings(settings))
    crawler.stats = MemoryStatsCollector(crawler)
    return crawler


@pytest.fixture
def crawler() -> Crawler:
    return make_crawler()


@pytest.fixture
def recorder(crawler, tmp_path: Path) -> Iterator[WarcRecorder]:
    recorder = WarcRecorder(tmp_path / "w.warc.gz", crawler.stats)
    yield recorder
    recorder.close(Spider("x"))


def exchange(url: str = A, **given) -> tuple[Response, Request]:
    request = Request(url, **given)
    return HtmlResponse(url, body=b"<p>body", request=request), request


def record_all(recorder: WarcRecorder, *exchanges: tuple[Response, Request]) -> None:
    for response, request in exchanges:
        recorder.record(response, request, Spider("x"))


def records(path: Path) -> list[tuple[str, dict[str, str], bytes]]:
    """Type, header fields and block of each record, read by warcio; digests are checked."""
    with path.open("rb") as file:
        for one in ArchiveIterator(file, check_digests="raise"):
            one.raw_stream.read()
        file.seek(0)
        return [
            (one.rec_type, dict(one.rec_headers.headers), one.raw_stream.read())
            for one in ArchiveIterator(file, no_record_parse=True)
        ]


def test_what_is_served_from_the_recording_is_what_was_received(
    project: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.warc.gz"
    with WebServer(Small()) as server:
        items = tmp_path / "items.jsonl"
        run(
            project,
            server.url,
            *("crawl", "follow", "-a", f"first={A}", "-s", f"WARC_FILE={out}", *EXTENSION),
            *("-O", str(items)),
        )
    assert len(items.read_text().splitlines()) == 5
    recorded = RecordedWeb([out])
    assert recorded.warnings == []
    assert set(recorded.urls()) == {*PAGES, f"{A}busy", f"{A}missing"}
    for url, sent in PAGES.items():
        found = recorded.find(url)
        assert found is not None
        assert (found.status, found.body) == (sent.status, sent.body)
        assert sorted(found.headers) == sorted(sent.headers)
    busy, missing = recorded.find(f"{A}busy"), recorded.find(f"{A}missing")
    assert busy is not None
    assert (busy.status, busy.body) == (200, b"at last")
    assert missing is not None
    assert missing.status == 404
    statuses = [body.split()[1] for kind, _, body in records(out) if kind == "response"]
    assert sorted(statuses) == [b"200"] * 6 + [b"302", b"404", b"503"]


def test_a_crawl_that_is_killed_leaves_whole_records_and_is_continued(
    project: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.warc.gz"
    command = ("crawl", "follow", "-a", f"first={A}0", "-s", f"WARC_FILE={out}")
    web, log = Endless(), tmp_path / "log"
    with WebServer(web) as server:
        environment = {**os.environ, "http_proxy": server.url, "PYTHONPATH": str(ROOT)}
        process = shared_forks().start_in(project, [*command, *EXTENSION], (log, log), environment)
        assert web.many.wait(60)
        assert process.kill() == -signal.SIGKILL
        recorded = RecordedWeb([out])
        before = list(recorded.urls())
        assert len(before) >= 50
        with out.open("ab") as file:
            file.write(gzip.compress(b"WARC/1.0\r\n cut off")[:15])
        run(project, server.url, *command, *EXTENSION, "-s", "CLOSESPIDER_PAGECOUNT=3")
    recorded = RecordedWeb([out])
    assert recorded.warnings == []
    assert list(recorded.urls())[: len(before)] == before
    # Any other reader of WARC files gets to the end too.
    assert sum(kind == "response" for kind, _, _ in records(out)) > len(before)


def test_without_a_file_it_is_not_configured(crawler) -> None:
    with pytest.raises(NotConfigured):
        WarcRecorder.from_crawler(crawler)


def test_a_file_that_is_no_recording_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "thesis.txt"
    path.write_text("years of work")
    with pytest.raises(RecordingError, match="left as it is"):
        WarcRecorder.from_crawler(make_crawler(WARC_FILE=str(path)))
    assert path.read_text() == "years of work"


def test_request_and_response_are_a_pair(recorder: WarcRecorder, tmp_path: Path) -> None:
    response, request = exchange(f"{A}x?y=1#part", method="POST", body=b"form", headers={"X": "y"})
    record_all(recorder, (response, request))
    (kind, fields, block), (kind2, fields2, block2) = records(tmp_path / "w.warc.gz")
    assert (kind, kind2) == ("response", "request")
    assert fields["WARC-Target-URI"] == fields2["WARC-Target-URI"] == f"{A}x?y=1"
    assert fields2["WARC-Concurrent-To"] == fields["WARC-Record-ID"]
    assert block == b"HTTP/1.1 200 OK\r\n\r\n<p>body"
    assert block2 == b"POST /x?y=1 HTTP/1.1\r\nHost: a.example\r\nX: y\r\n\r\nform"


def test_credentials_of_a_proxy_are_not_written(recorder: WarcRecorder, tmp_path: Path) -> None:
    record_all(recorder, exchange(headers={"Proxy-Authorization": "Basic c2VjcmV0"}))
    assert b"c2VjcmV0" not in records(tmp_path / "w.warc.gz")[1][2]


def test_header_bytes_are_written_as_they_came(recorder: WarcRecorder, tmp_path: Path) -> None:
    request = Request(A)
    location = "/caf\u00e9".encode()
    response = Response(A, status=301, headers={"Location": location}, request=request)
    record_all(recorder, (response, request))
    assert b"Location: " + location + b"\r\n" in records(tmp_path / "w.warc.gz")[0][2]


def test_a_body_that_did_not_arrive_whole_is_marked(recorder: WarcRecorder, tmp_path: Path) -> None:
    request = Request(A)
    record_all(recorder, (Response(A, body=b"par", flags=["dataloss"], request=request), request))
    assert records(tmp_path / "w.warc.gz")[0][1]["WARC-Truncated"] == "unspecified"


@pytest.mark.parametrize("url", ["data:,x", "file:///etc/hostname", "s3://bucket/key"])
def test_what_did_not_come_over_http_is_not_recorded(
    url: str, recorder: WarcRecorder, tmp_path: Path
) -> None:
    request = Request(url)
    record_all(recorder, (Response(url, body=b"x", request=request), request))
    assert (tmp_path / "w.warc.gz").stat().st_size == 0


class FullDisk:
    """A file whose disk is full after some bytes of the next write."""

    def __init__(self, file) -> None:
        self._file = file

    def write(self, data: bytes) -> int:
        self._file.write(data[:50])
        raise OSError(28, "No space left on device")

    def __getattr__(self, name: str):
        return getattr(self._file, name)


def test_a_full_disk_costs_the_record_and_not_the_file(
    recorder: WarcRecorder, crawler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_all(recorder, exchange())
    with monkeypatch.context() as patch:
        patch.setattr(recorder, "_file", FullDisk(recorder._file))
        record_all(recorder, exchange())
    record_all(recorder, exchange())
    assert len(records(tmp_path / "w.warc.gz")) == 4
    assert crawler.stats.get_value("frontier/warc/failed") == 1
