"""Which record answers for a URL, and where it leads: the same in `export` and in `web serve`."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest

from frontier.web.recorded_web import RecordedWeb
from tests.frontier.lab.lab_warcs import (
    LAYOUTS,
    A,
    B,
    C,
    html,
    http,
    links_of,
    members,
    page,
    plain,
    record,
)

HTML = {"Content_Type": "text/html"}
NOTHING = "sha1:" + base64.b32encode(hashlib.sha1(b"").digest()).decode()
"""Digest of an empty payload."""


def links(path: Path) -> set[tuple[str, str]]:
    return set(links_of(path))


def answers(path: Path) -> dict[str, tuple[int, bytes]]:
    web = RecordedWeb([path])
    return {url: (found.status, found.body) for url in web.urls() if (found := web.find(url))}


def asked(method: str, url: str, of: str, number: int = 0) -> bytes:
    """A request record that was answered by the record of an id."""
    block = f"{method} / HTTP/1.1\r\n\r\n".encode()
    own = f"<urn:request:{url}{number}>"
    return record(url, block, "request", WARC_Record_ID=own, WARC_Concurrent_To=of)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("size", [100, 1_900, 2_048, 5_000, 70_000, 120_000])
def test_a_long_head_is_read_to_its_end(layout, size: int, tmp_path: Path) -> None:
    padding = {f"X_{n}": "x" * 1_000 for n in range(size // 1_000)} | {"X": "x" * (size % 1_000)}
    target = f"{A}{'long/' * 20}end"
    path = layout(
        tmp_path / "w",
        page(A, b"moved", "301 Moved", **padding, Location=target),
        page(B, b"<a href=/x>x", **padding, Content_Type="text/html"),
        page(C, b"<a href=/x>x", **padding, Content_Type="image/png"),
    )
    assert links(path) == {(A, target), (B, f"{B}x")}


def test_of_a_head_without_end_no_half_line_is_read(tmp_path: Path) -> None:
    head = "HTTP/1.1 301 Moved\r\nX: " + "x" * 131_000 + f"\r\nLocation: {B}{'long/' * 50}"
    path = plain(tmp_path / "w", record(A, head.encode()), html(C, A))
    assert links(path) == {(C, A)}


@pytest.mark.parametrize(
    ("fields", "target"),
    [
        ("Location: /é?ü".encode(), f"{A}%C3%A9?%C3%BC="),
        ("Location: /é".encode("latin-1"), f"{A}%E9"),
        (b"Location: /%C3%A9", f"{A}%C3%A9"),
        (b"LOCATION:/x", f"{A}x"),
        (b"location :  /x  ", f"{A}x"),
        (b"Location:\r\n\t/x", f"{A}x"),
        (b"Location: /x#part", f"{A}x"),
        (b"Location: /x\r\nLocation: /y", f"{A}x"),
        (b"Content-Location: /no\r\nLocation: //b.example", B),
    ],
)
def test_a_location_is_read_as_a_crawl_reads_it(fields: bytes, target: str, tmp_path: Path) -> None:
    block = b"HTTP/1.1 302 Found\r\n" + fields + b"\r\n\r\n"
    assert links(plain(tmp_path / "w", record(A, block))) == {(A, target)}


def test_a_location_in_utf8_is_served_byte_by_byte_and_found_under_http(tmp_path: Path) -> None:
    there = "https://a.example/caf%C3%A9"
    block = "HTTP/1.1 301 Moved\r\nLocation: https://a.example/café\r\n\r\n".encode()
    web = RecordedWeb([plain(tmp_path / "w", record(A, block), page(there))])
    (found,) = [web.read(url) for url in web.urls() if url == A]
    assert found.headers[0][1].encode("latin-1") == "https://a.example/café".encode()
    assert web._reachable("Location", found.headers[0][1], A) == f"{A}caf%C3%A9"


def test_an_answer_to_head_is_left_out_where_it_says_that_there_is_a_body(tmp_path: Path) -> None:
    path = members(tmp_path / "w", record(A, http(**HTML, Content_Length="900")), html(A, "x"))
    assert links(path) == {(A, f"{A}x")}


POSTED = record(A, http(body=b"posted", **HTML), WARC_Record_ID="<urn:posted>")
GOT = record(A, http(body=b"got", **HTML), WARC_Record_ID="<urn:got>")


@pytest.mark.parametrize("method", ["POST", "post", "PUT", "HEAD", "OPTIONS"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_only_answers_to_get_answer(layout, method: str, tmp_path: Path) -> None:
    theirs, ours = asked(method, A, "<urn:posted>"), asked("GET", A, "urn:got", 1)
    for records in (
        (POSTED, theirs, GOT, ours),
        (theirs, ours, POSTED, GOT),
        (GOT, POSTED, theirs),
        (POSTED, GOT, ours, theirs),
    ):
        path = layout(tmp_path / "w", *records)
        assert answers(path) == {A: (200, b"got")}
        assert set(answers(layout(tmp_path / "w", POSTED, theirs, page(B)))) == {B}


def test_a_response_may_name_its_request_among_others(tmp_path: Path) -> None:
    theirs = record(A, b"POST / HTTP/1.1\r\n\r\n", "request", WARC_Record_ID="<urn:post>")
    both = "<urn:post>\r\nWARC-Concurrent-To: <urn:metadata>"
    named = POSTED.replace(b"WARC-Date", f"WARC-Concurrent-To: {both}\r\nWARC-Date".encode(), 1)
    assert set(answers(members(tmp_path / "w", theirs, named, page(B)))) == {B}
    assert answers(members(tmp_path / "w", named, theirs, GOT)) == {A: (200, b"got")}


def test_a_revisit_of_a_page_that_was_posted_to_is_no_answer(tmp_path: Path) -> None:
    again = record(A, http(**HTML), "revisit", WARC_Record_ID="<urn:again>", WARC_Refers_To="urn:b")
    earlier = record(B, http(body=b"form", **HTML), WARC_Record_ID="<urn:b>")
    path = plain(tmp_path / "w", earlier, again)
    assert set(answers(path)) == {A, B}
    path = plain(tmp_path / "w", earlier, again, asked("POST", A, "<urn:again>"))
    assert set(answers(path)) == {B}


@pytest.mark.parametrize(
    "reference",
    [
        {"WARC_Refers_To": f"urn:test:{A}"},
        {"WARC_Refers_To": f"<urn:test:{A}>", "WARC_Refers_To_Target_URI": f"{C}never"},
        {"WARC_Refers_To_Target_URI": f"<{A}>"},
        {"WARC_Payload_Digest": "sha1:X"},
    ],
)
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("head", [b"", http("200 OK"), http("304 Not Modified")])
def test_a_revisit_is_found_by_id_url_or_digest_and_read_under_its_own_url(
    reference: dict[str, str], first: bool, head: bytes, tmp_path: Path
) -> None:
    original = record(A, http(body=b"<a href=x>x", **HTML), WARC_Payload_Digest="sha1:X")
    again = record(f"{B}2/", head, "revisit", WARC_Record_ID="<urn:r>", **reference)
    path = plain(tmp_path / "w", *((again, original) if first else (original, again)))
    if b"304" in head and "WARC_Payload_Digest" in reference:  # said of another URL's page
        assert links(path) == {(A, f"{A}x")}
    else:
        assert links(path) == {(A, f"{A}x"), (f"{B}2/", f"{B}2/x")}
        assert answers(path)[f"{B}2/"] == (200, b"<a href=x>x")


def test_a_revisit_of_a_redirect_leads_where_it_says_itself(tmp_path: Path) -> None:
    def moved(url: str, kind: str, body: bytes, **fields: str) -> bytes:
        head = http("301 Moved", body, Location=f"{url}new")
        return record(url, head, kind, WARC_Payload_Digest="sha1:X", **fields)

    path = members(
        tmp_path / "w",
        moved(A, "response", b"moved"),
        moved(B, "revisit", b"", WARC_Refers_To=f"<urn:test:{A}>"),
        moved(C, "revisit", b"", WARC_Refers_To_Target_URI=A),
        moved(f"{C}4/", "revisit", b""),
        record(f"{C}5/", b"", "revisit", WARC_Payload_Digest="sha1:X"),
    )
    assert links(path) == {(url, f"{url}new") for url in (A, B, C, f"{C}4/")}
    assert answers(path)[B] == (301, b"moved")


@pytest.mark.parametrize("status", ["304 Not Modified", "200 OK"])
def test_the_digest_of_nothing_refers_to_nobody(status: str, tmp_path: Path) -> None:
    digest = {"WARC_Payload_Digest": NOTHING}
    path = plain(
        tmp_path / "w",
        record(A, http("301 Moved", Location="/x"), **digest),
        record(B, http(**HTML), **digest),
        record(C, http(status), "revisit", **digest),
    )
    assert set(answers(path)) == {A, B}
    assert links(path) == {(A, f"{A}x")}


def test_a_304_is_the_page_that_was_recorded_before_under_its_url(tmp_path: Path) -> None:
    digest = {"WARC_Payload_Digest": NOTHING}
    again = record(A, http("304 Not Modified"), "revisit", WARC_Record_ID="<urn:r>", **digest)
    path = plain(tmp_path / "w", again, page(B, b"other", **HTML), html(A, "x"))
    assert links(path) == {(A, f"{A}x")}


def test_other_types_of_records_are_no_answers(tmp_path: Path) -> None:
    path = plain(
        tmp_path / "w",
        record(A, b"<a href=/no>x", "conversion", Content_Type="text/html"),
        record(B, b"<a href=/x>x", "resource", Content_Type="text/html"),
        record(C, b"{}", "metadata"),
    )
    assert links(path) == {(B, f"{B}x")}
