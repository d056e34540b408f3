from __future__ import annotations

import gzip
import re
from collections.abc import Callable
from pathlib import Path
from typing import Protocol
from urllib.parse import urljoin

import pytest

from frontier.errors import RecordingError
from frontier.web.demo import DEMO_SEEDS, demo_web
from frontier.web.recorded_web import RecordedWeb
from frontier.web.serving import WebAnswer
from tests.frontier.lab.lab_warcs import INFO, LAYOUTS, http, members, page, plain, record

A = "http://a.example/"


class Open(Protocol):
    def __call__(self, *paths: Path) -> RecordedWeb: ...


@pytest.fixture
def open_web() -> Open:
    return lambda *paths: RecordedWeb(paths)


@pytest.fixture
def web(open_web: Open, tmp_path: Path) -> Callable[..., RecordedWeb]:
    return lambda *records: open_web(members(tmp_path / "w.warc.gz", INFO, *records))


def ask(recorded: RecordedWeb, url: str) -> WebAnswer:
    return recorded.answer("GET", url, {}, b"")


def body_of(recorded: RecordedWeb, url: str) -> bytes | None:
    found = recorded.find(url)
    return found.body if found else None


@pytest.mark.parametrize("layout", LAYOUTS)
def test_pages_come_back_as_recorded(layout, open_web: Open, tmp_path: Path) -> None:
    sent = page(A, b"<p>hello", Content_Type="text/html", Set_Cookie="a=b")
    recorded = open_web(layout(tmp_path / "w", INFO, sent))
    found = recorded.find(A)
    assert found is not None
    assert (found.status, found.reason, found.body) == (200, "OK", b"<p>hello")
    assert found.headers == [("Content-Type", "text/html"), ("Set-Cookie", "a=b")]
    assert list(recorded.urls()) == [A]
    assert recorded.hosts() == {"a.example"}


def test_warc_1_1_and_http_2_are_understood(web) -> None:
    block = b"HTTP/2 200\r\ncontent-type: text/plain\r\n\r\nx"
    assert body_of(web(record(A, block, version="1.1")), A) == b"x"


def test_several_files_are_one_web(open_web: Open, tmp_path: Path) -> None:
    paths = [plain(tmp_path / f"{n}.warc", page(f"{A}{n}")) for n in range(3)]
    recorded = open_web(*paths)
    assert len(recorded) == 3
    assert body_of(recorded, f"{A}2") == b"http://a.example/2"


def test_the_exact_spelling_wins_over_an_equivalent_one(web) -> None:
    recorded = web(page(f"{A}%7ea", b"escaped"), page(f"{A}~a", b"plain"))
    assert body_of(recorded, f"{A}%7ea") == b"escaped"
    assert body_of(recorded, f"{A}~a") == b"plain"
    assert body_of(recorded, f"{A}%7Ea#top") == b"escaped"


def test_a_page_recorded_as_https_is_found_under_http_and_the_reverse(web) -> None:
    recorded = web(page("https://s.example/", b"s"), page(f"{A}x", b"x"))
    assert body_of(recorded, "http://s.example/") == b"s"
    assert body_of(recorded, "http://s.example:80") == b"s"
    assert body_of(recorded, "https://a.example/x") == b"x"
    assert body_of(recorded, "http://s.example/other") is None


def test_a_redirect_to_the_other_scheme_alone_gives_way_to_its_target(web) -> None:
    recorded = web(
        page(A, b"-", "301 Moved", Location="https://a.example/"),
        page("https://a.example/", b"secure"),
    )
    assert body_of(recorded, A) == b"secure"
    assert body_of(recorded, "https://a.example/") == b"secure"


def test_a_redirect_to_the_other_scheme_is_kept_when_there_is_nothing_else(web) -> None:
    location = "https://a.example/"
    recorded = web(page(A, b"-", "301 Moved", Location=location))
    answer = ask(recorded, A)
    assert (answer.status, dict(answer.headers)["Location"]) == (301, location)


def test_redirects_lead_where_a_client_of_a_plain_proxy_can_go(web) -> None:
    recorded = web(
        page(f"{A}in", b"-", "301 Moved", Location="https://b.example/x"),
        page(f"{A}out", b"-", "302 Found", Location="https://c.example/"),
        page(f"{A}near", b"-", "302 Found", Location="/in"),
        page("https://b.example/x"),
    )
    assert dict(ask(recorded, f"{A}in").headers)["Location"] == "http://b.example/x"
    assert dict(ask(recorded, f"{A}out").headers)["Location"] == "https://c.example/"
    assert dict(ask(recorded, f"{A}near").headers)["Location"] == "/in"
    assert dict(ask(recorded, "https://a.example/in").headers)["Location"] == "https://b.example/x"


@pytest.mark.parametrize(
    ("statuses", "answered"),
    [
        (["200 a", "200 b"], 0),
        (["503 a", "200 b", "200 c"], 1),
        (["404 a", "301 b", "500 c"], 1),
        (["404 a", "503 b"], 0),
        (["301 a", "404 b", "204 c"], 2),
    ],
)
def test_of_several_records_the_first_success_answers(statuses, answered, web) -> None:
    records = [page(A, b"%d" % n, status) for n, status in enumerate(statuses)]
    assert body_of(web(*records), A) == b"%d" % answered


def test_errors_are_recorded_answers_and_the_rest_is_404(web) -> None:
    recorded = web(page(A, b"gone", "410 Gone"))
    assert ask(recorded, A).status == 410
    missing = ask(recorded, f"{A}robots.txt")
    assert missing.status == 404
    assert b"http://a.example/robots.txt" in missing.body


def test_a_chunked_gzip_body_is_unchunked_and_stays_gzip(web) -> None:
    packed = gzip.compress(b"text " * 100)
    stored = b"%x\r\n%s\r\n0\r\n\r\n" % (len(packed), packed)
    sent = page(A, stored, Transfer_Encoding="chunked", Content_Encoding="gzip")
    found = web(sent).find(A)
    assert found is not None
    assert (found.headers, found.body) == ([("Content-Encoding", "gzip")], packed)


def test_a_body_stored_decoded_loses_the_headers_that_deny_it(web) -> None:
    sent = page(A, b"<p>text", Transfer_Encoding="chunked", Content_Encoding="br")
    found = web(sent).find(A)
    assert found is not None
    assert (found.headers, found.body) == ([], b"<p>text")


def test_a_resource_answers_with_its_own_media_type(web) -> None:
    found = web(record(A, b"\x89PNG", "resource", Content_Type="image/png")).find(A)
    assert found is not None
    assert (found.status, found.headers, found.body) == (
        200,
        [("Content-Type", "image/png")],
        b"\x89PNG",
    )


@pytest.mark.parametrize(
    "reference",
    [
        {"WARC_Refers_To": f"<urn:test:{A}>"},
        {"WARC_Refers_To_Target_URI": A},
        {"WARC_Payload_Digest": "sha1:X"},
    ],
)
def test_a_revisit_answers_under_its_own_headers_with_the_earlier_body(
    reference: dict[str, str], web
) -> None:
    packed = gzip.compress(b"the payload")
    first = record(
        A, http(body=packed, Content_Encoding="gzip", X="old"), WARC_Payload_Digest="sha1:X"
    )
    again = record(f"{A}2", http("203 Again", X="new"), "revisit", **reference)
    # The revisit comes first: files may be named in any order.
    found = web(again, first).find(f"{A}2")
    assert found is not None
    assert (found.status, found.body) == (203, packed)
    assert found.headers == [("X", "new"), ("Content-Encoding", "gzip")]


@pytest.mark.parametrize("block", [b"", http("304 Not Modified", ETag="x")])
def test_a_revisit_that_says_nothing_new_answers_like_the_earlier_record(block: bytes, web) -> None:
    again = record(f"{A}2", block, "revisit", WARC_Refers_To_Target_URI=A)
    found = web(page(A, b"first", X="old"), again).find(f"{A}2")
    assert found is not None
    assert (found.status, found.headers, found.body) == (200, [("X", "old")], b"first")


def test_what_cannot_be_played_is_said_with_file_offset_and_reason(
    open_web: Open, tmp_path: Path
) -> None:
    records = [
        page(A),
        record(f"{A}1", b"no http at all"),
        record(f"{A}2", b"", "revisit"),
        record(f"{A}3", http(body=b"part"), WARC_Segment_Number="1"),
    ]
    path = plain(tmp_path / "w.warc", *records)
    recorded = open_web(path)
    assert list(recorded.urls()) == [A]
    reasons = {damage.offset: damage.reason for damage in recorded.warnings}
    offsets = [sum(map(len, records[:n])) for n in range(1, 4)]
    assert [reasons[offset].partition(" (")[0] for offset in offsets] == [
        "the response has no HTTP status from 200 to 599",
        "the revisit refers to a record that is not in the files",
        "the record is one segment of several, which are not joined",
    ]
    assert {damage.file for damage in recorded.warnings} == {path}


def test_records_of_other_types_and_schemes_are_no_pages(web) -> None:
    recorded = web(
        page(A),
        record(f"{A}r", b"GET / HTTP/1.1\r\n\r\n", "request"),
        record(f"{A}m", b"a: b", "metadata"),
        record("dns:a.example", b"20261120 a.example A 127.0.0.1"),
    )
    assert list(recorded.urls()) == [A]
    assert recorded.warnings == []


def test_a_file_cut_in_the_middle_is_served_with_a_warning(open_web: Open, tmp_path: Path) -> None:
    path = members(tmp_path / "w.warc.gz", page(A), page(f"{A}2"))
    path.write_bytes(path.read_bytes()[:-30])
    recorded = open_web(path)
    assert list(recorded.urls()) == [A]
    assert [damage.file for damage in recorded.warnings] == [path]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"<html>no warc</html>", "20 bytes"),
        (gzip.compress(b"<html>no warc</html>", mtime=0), "whole record"),
        (gzip.compress(page(A), mtime=0)[:40], "cut"),
        (INFO, "served"),
        (page(A, status="999 Odd"), "served"),
    ],
)
def test_nothing_to_serve_is_an_error_that_says_what_was_found(
    content: bytes, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "w.warc.gz"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=said):
        RecordedWeb([path])


def test_one_wrong_file_among_good_ones_is_an_error(tmp_path: Path) -> None:
    good, bad = plain(tmp_path / "good", page(A)), tmp_path / "bad"
    with pytest.raises(RecordingError, match="bad"):
        RecordedWeb([good, bad])
    bad.write_text("text")
    with pytest.raises(RecordingError, match=r"bad.*WARC"):
        RecordedWeb([good, bad])


def test_a_location_that_is_no_url_does_no_harm(web) -> None:
    recorded = web(page(A, b"-", "301 Moved", Location="http://["))
    assert ask(recorded, A).status == 301


def test_the_documentation_web_is_whole(open_web: Open, shared: Path) -> None:
    recorded = open_web(shared / "webs" / "docs.warc.gz")
    assert (len(recorded), len(recorded.hosts()), recorded.warnings) == (7657, 10, [])
    found = recorded.find("http://postgresql.docs.example/acronyms.html")
    assert found is not None
    assert (found.status, len(found.body)) == (200, 21176)


def test_the_demonstration_web_is_whole_and_every_page_can_be_reached() -> None:
    web = demo_web()
    todo, met = list(DEMO_SEEDS), set(DEMO_SEEDS)
    while todo:
        url = todo.pop()
        answer = ask(web, url)
        found = re.findall(r'<a href="([^"]+)"', answer.body.decode("latin-1"))
        found += [value for name, value in answer.headers if name == "Location"]
        news = {urljoin(url, link) for link in found} - met
        met |= news
        todo += news
    beside = {url for url in web.urls() if url.endswith("/robots.txt")}
    assert web.warnings == []
    assert set(web.urls()) - met == beside
    assert (len(web), len(web.hosts()), len(beside)) == (522, 11, 3)
    assert met - set(web.urls()) == {
        "http://observatory.example/calendar/2024/12",
        "http://observatory.example/calendar/2028/01",
        "http://observatory.example/missing/comet-of-the-year",
    }
