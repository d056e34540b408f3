"""The link graph of WARC files is that of the pages in them, read as the crawler reads them."""

from __future__ import annotations

import gzip
import os
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from frontier.errors import RecordingError
from frontier.linkgraphs import UrlGraph, warc_graph
from frontier.linkgraphs.warcgraph import Reading
from frontier.parsing.reader import ReadingLimits
from tests.frontier.lab.lab_warcs import INFO, LAYOUTS, http, members, page, plain, record

A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"
HTML = {"Content_Type": "text/html; charset=utf-8"}


def html(url: str, *targets: str, head: str = "", **headers: str) -> bytes:
    """A page that links to each target."""
    body = "".join(f'<a href="{target}">x</a>' for target in targets)
    text = f"<html><head>{head}</head><body>{body}</body></html>"
    return page(url, text.encode(), **{**HTML, **headers})


def edges(urls: UrlGraph) -> dict[tuple[str, str], float]:
    view = urls.graph.snapshot()
    weights = [1.0] * view.n_links if view.weights is None else view.weights.tolist()
    pages = [urls.names[view.pages[row]] for row in view.rows]
    targets = [urls.names[target] for target in view.targets]
    return dict(zip(zip(pages, targets, strict=True), weights, strict=True))


def graph_of(folder: Path, *records: bytes, reading: Reading | None = None) -> UrlGraph:
    return warc_graph([plain(folder / "x.warc", *records)], reading or Reading())


def links_of(folder: Path, *records: bytes) -> dict[tuple[str, str], float]:
    return edges(graph_of(folder, *records))


def test_links_of_pages_are_canonical_each_once_and_none_to_itself(tmp_path: Path) -> None:
    first = html(
        *(A, "b", "/b#top", f"{B}?b=2&a=1", f"{B}?a=1&b=2#x", A, "#top", "mailto:me@x.example"),
        "HTTP://C.example",
    )
    assert links_of(tmp_path, INFO, first, html(f"{A}b", A)) == {
        (A, f"{A}b"): 1,
        (A, f"{B}?a=1&b=2"): 1,
        (A, C): 1,
        (f"{A}b", A): 1,
    }


def test_every_url_that_is_fetched_or_linked_to_is_a_node(tmp_path: Path) -> None:
    urls = graph_of(tmp_path, html(A, B, C), html(C), html("http://alone.example/"))
    assert list(urls.names) == [A, B, C, "http://alone.example/"]
    assert (urls.n, urls.pages, urls.graph.snapshot().n_pages) == (4, 3, 3)
    assert urls.find("HTTP://B.example#x") == 1
    assert urls.find("http://nowhere.example/") == -1


def test_nofollow_base_and_robots_are_read_as_in_a_crawl(tmp_path: Path) -> None:
    body = b"<base href='http://b.example/deep/'><a href=x rel=nofollow>1</a><a href=y>2</a>"
    robots = html(C, B, head="<meta name=robots content=nofollow>")
    assert links_of(tmp_path, page(A, body, **HTML), robots) == {
        (A, f"{B}deep/x"): 0,
        (A, f"{B}deep/y"): 1,
        (C, B): 0,
    }


def test_redirects_are_links(tmp_path: Path) -> None:
    found = links_of(
        tmp_path,
        page(A, b"moved", "301 Moved Permanently", Location="/new?b=1&a=2"),
        html(B, C, head='<meta http-equiv="refresh" content="5; url=/soon">'),
        html(C, A, head='<meta http-equiv="refresh" content="300; url=/late">'),
        html(f"{C}live", A, head='<meta http-equiv="refresh" content="5; url=/live">'),
        page(f"{C}x", b"nowhere", "302 Found"),
        page(f"{C}y", b"odd", "302 Found", Location="ftp://c.example/"),
    )
    assert found == {
        (A, f"{A}new?a=2&b=1"): 1,
        (B, f"{B}soon"): 1,
        (C, A): 1,
        (C, f"{C}late"): 1,
        (f"{C}live", A): 1,
    }


def test_what_is_no_page_leads_nowhere_and_is_counted(tmp_path: Path) -> None:
    urls = graph_of(
        tmp_path,
        html(A, B),
        page(B, b"<a href=/x>x</a>", "404 Not Found", **HTML),
        page(C, b"<a href=/x>x</a>", Content_Type="image/png"),
        page(f"{C}plain", b"<a href=/x>x</a>", Content_Type="text/plain"),
        record(A, b"GET / HTTP/1.1\r\n\r\n", "request"),
        record("dns:a.example", b"20261120\n", "response"),
        record(f"{C}z", http("200 OK", b"<a href=/x>"), WARC_Segment_Number="1"),
        record(f"{C}w", b"what is this", "response"),
    )
    assert edges(urls) == {(A, B): 1}
    assert urls.notes == [
        "no links: 2 responses that are not HTML",
        "no links: 1 responses with a status of 400 or more",
        "no links: 1 segments of records, which are not joined",
        "no links: 1 responses without an HTTP status",
    ]


def test_without_a_content_type_the_body_decides(tmp_path: Path) -> None:
    looks = page(A, b"<!doctype html><a href=/x>x</a>")
    does_not = page(B, b"\x89PNG <a href=/x>x</a>")
    assert links_of(tmp_path, looks, does_not) == {(A, f"{A}x"): 1}


def brotli(body: bytes) -> bytes:
    packed: bytes = pytest.importorskip("brotli").compress(body)
    return packed


def zstd(body: bytes) -> bytes:
    module = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    packed: bytes = pytest.importorskip(module).compress(body)
    return packed


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", raw_deflate),
        ("br", brotli),
        ("zstd", zstd),
        ("gzip", bytes),  # decoded by the recorder, the header left in place
    ],
)
def test_bodies_are_unpacked(tmp_path: Path, coding: str, pack: Callable[[bytes], bytes]) -> None:
    body = pack(b"<html><a href=/x>" + b"some words " * 500)
    found = links_of(tmp_path, page(A, body, Content_Encoding=coding, **HTML))
    assert found == {(A, f"{A}x"): 1}


def test_chunked_bodies_are_joined(tmp_path: Path) -> None:
    body = b"8\r\n<a href=\r\n4\r\n/x>y\r\n0\r\n\r\n"
    found = links_of(tmp_path, page(A, body, Transfer_Encoding="chunked", **HTML))
    assert found == {(A, f"{A}x"): 1}


@pytest.mark.parametrize("pack", [gzip.compress, brotli, zstd])
def test_a_body_that_is_broken_costs_its_own_links_only(
    tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    coding = {gzip.compress: "gzip", brotli: "br", zstd: "zstd"}[pack]
    broken = bytearray(pack(b"<a href=/x>" * 1000))
    broken[20:30] = b"\xff" * 10
    headers = {"Content_Encoding": coding, **HTML}
    urls = graph_of(tmp_path, page(B, bytes(broken), **headers), html(C, A))
    assert (C, A) in edges(urls)


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    urls = graph_of(tmp_path, page(A, b"\x01\x02" * 99 + b"<a href=/x>x</a>", **HTML))
    assert urls.notes == [
        "no links: 1 pages that cannot be read: expected text as its server says, but its "
        "bytes are not text"
    ]


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/html; charset=iso-8859-1", "<a href=/é>x".encode("latin-1")),
        ("text/html", "<meta charset=windows-1252><a href=/é>x".encode("cp1252")),
        ("text/html", b"\xef\xbb\xbf" + "<a href=/é>x".encode()),
        ("text/html; charset=nonsense", "<a href=/é>x".encode()),
        ("text/html", "<a href=/é>x".encode("utf-16")),
        (
            "text/html; charset=koi8-r",
            "<meta charset=x><a href=/é>x</a>".encode("koi8-r", "xmlcharrefreplace"),
        ),
    ],
)
def test_pages_in_any_charset_are_read(tmp_path: Path, content_type: str, body: bytes) -> None:
    assert links_of(tmp_path, page(A, body, Content_Type=content_type)) == {(A, f"{A}%C3%A9"): 1}


@pytest.mark.parametrize("body", [b"", b"  ", b"\0", b"<", b"<!--", b"\xff\xfe<\x00a\x00"])
def test_odd_pages_are_pages_without_links(tmp_path: Path, body: bytes) -> None:
    urls = graph_of(tmp_path, record(A, http("200 OK", body, **HTML)))
    assert (edges(urls), urls.pages) == ({}, 1)


def test_of_several_records_of_a_url_the_first_page_counts(tmp_path: Path) -> None:
    found = links_of(
        tmp_path,
        page(A, b"busy", "503 Service Unavailable", **HTML),
        page(A, b"moved", "302 Found", Location="/moved"),
        html(A, B),
        html(A, C),
        page(A, b"moved", "302 Found", Location="/again"),
    )
    assert found == {(A, B): 1}


def test_a_revisit_has_the_links_of_what_it_equals(tmp_path: Path) -> None:
    def revisit(url: str, of: str) -> bytes:
        return record(url, http("200 OK"), "revisit", WARC_Refers_To_Target_URI=of)

    urls = graph_of(
        tmp_path, html(A, B), revisit(C, A), revisit(A, A), revisit(f"{C}x", f"{C}never")
    )
    assert edges(urls) == {(A, B): 1, (C, B): 1}
    assert urls.notes == ["no links: 1 revisits of a page that was not read before"]


def test_resources_and_wgets_brackets(tmp_path: Path) -> None:
    resource = record(f"<{A}>", b"<a href=/x>x</a>", "resource", Content_Type="text/html")
    assert links_of(tmp_path, resource) == {(A, f"{A}x"): 1}


def test_what_the_crawlers_settings_leave_out_is_left_out(tmp_path: Path) -> None:
    long = f"{A}{'x' * 50}"
    records = html(A, "1", long, "2", "3")
    assert list(graph_of(tmp_path, records, reading=Reading(ReadingLimits(links=2))).names) == [
        *(A, f"{A}1", long)
    ]
    short = graph_of(tmp_path, records, reading=Reading(max_url=40))
    assert list(short.names) == [A, f"{A}1", f"{A}2", f"{A}3"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_graph(tmp_path: Path, layout: Any) -> None:
    records = [INFO, html(A, B, C), html(B, C), html(C, A)]
    path = layout(tmp_path / "x.warc.gz", *records)
    assert edges(warc_graph([path], Reading())) == links_of(tmp_path, *records)


def test_several_files_are_one_graph(tmp_path: Path) -> None:
    first = plain(tmp_path / "1.warc", html(A, B))
    second = members(tmp_path / "2.warc.gz", html(B, A), html(A, C))
    told: list[tuple[int, int | None]] = []
    urls = warc_graph([first, second], Reading(), lambda *at: told.append(at))
    assert edges(urls) == {(A, B): 1, (B, A): 1}
    total = first.stat().st_size + second.stat().st_size
    assert {of for _, of in told} == {total}
    assert [at for at, _ in told] == sorted(at for at, _ in told)
    assert told[1][0] == first.stat().st_size


@pytest.mark.parametrize("layout", LAYOUTS)
def test_of_a_file_that_was_cut_off_the_rest_is_used_and_the_loss_is_said(
    tmp_path: Path, layout: Any
) -> None:
    path = layout(tmp_path / "x.warc.gz", html(A, B), html(B, C), html(C, *map(str, range(500))))
    path.write_bytes(path.read_bytes()[:-60])
    urls = warc_graph([path], Reading())
    assert edges(urls).keys() >= {(A, B), (B, C)}
    assert any(note.startswith(f"lost: {path}, offset ") for note in urls.notes)


def test_damage_in_the_middle_costs_what_is_damaged(tmp_path: Path) -> None:
    records = [html(A, B), html(B, C), html(C, A)]
    path = members(tmp_path / "x.warc.gz", *records)
    data = bytearray(path.read_bytes())
    start = len(gzip.compress(records[0], mtime=0))
    data[start + 30 : start + 60] = bytes(30)
    path.write_bytes(data)
    urls = warc_graph([path], Reading())
    assert edges(urls) == {(A, B): 1, (C, A): 1}
    assert len([note for note in urls.notes if note.startswith("lost: ")]) == 1


def test_damage_without_end_is_counted(tmp_path: Path) -> None:
    broken = [record(A, b"x" * 10).replace(b"Length: 10", b"Length: ??") for _ in range(30)]
    urls = graph_of(tmp_path, html(A, B), *broken)
    assert len([note for note in urls.notes if note.startswith("lost: ")]) == 21
    assert urls.notes[20] == "lost: 10 more damaged parts"


def test_a_file_that_is_no_warc_is_refused_alone_and_noted_beside_others(tmp_path: Path) -> None:
    junk = tmp_path / "junk.warc"
    junk.write_bytes(b"this is not a WARC file\n" * 10)
    with pytest.raises(RecordingError, match=r"junk\.warc is not one whole record"):
        warc_graph([junk], Reading())
    good = plain(tmp_path / "good.warc", html(A, B))
    urls = warc_graph([junk, good], Reading())
    assert edges(urls) == {(A, B): 1}
    assert "junk.warc" in urls.notes[0]


def test_a_file_that_is_missing_is_refused_before_any_is_read(tmp_path: Path) -> None:
    good = plain(tmp_path / "good.warc", html(A, B))
    told: list[object] = []
    with pytest.raises(RecordingError, match=r"absent\.warc cannot be read"):
        warc_graph([good, tmp_path / "absent.warc"], Reading(), lambda *at: told.append(at))
    assert told == []


def test_a_pipe_is_refused_by_what_it_is() -> None:
    reading, writing = os.pipe()
    try:
        with pytest.raises(RecordingError, match="cannot be read: it is a pipe and must be a file"):
            warc_graph([Path(f"/dev/fd/{reading}")], Reading())
    finally:
        os.close(reading)
        os.close(writing)
