"""WARC files for the tests, written by hand so that no library decides what is in them."""

from __future__ import annotations

import gzip
from pathlib import Path

from scrapy.settings import Settings

from frontier.plugin.recorded import parser_of, recorded_links
from frontier.web.recorded_web import RecordedWeb

A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"


def http(status: str = "200 OK", body: bytes = b"", **headers: str) -> bytes:
    """An HTTP response; ``Content_Type="text/html"`` becomes a Content-Type field."""
    lines = [f"HTTP/1.1 {status}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def record(
    url: str, block: bytes, kind: str = "response", version: str = "1.0", **fields: str
) -> bytes:
    """One record; ``WARC_Refers_To="..."`` becomes a WARC-Refers-To field."""
    named = {
        "WARC-Type": kind,
        "WARC-Target-URI": url,
        "WARC-Date": "2026-11-20T00:00:00Z",
        "WARC-Record-ID": f"<urn:test:{url}>",
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(block)),
    }
    named |= {name.replace("_", "-"): value for name, value in fields.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items() if value)
    return f"WARC/{version}\r\n{head}\r\n".encode() + block + b"\r\n\r\n"


def page(url: str, body: bytes = b"", status: str = "200 OK", **headers: str) -> bytes:
    """A response record; without a body it says its own URL."""
    return record(url, http(status, body or url.encode(), **headers))


INFO = record("", b"software: by hand\r\n", "warcinfo", Content_Type="application/warc-fields")


def plain(path: Path, *records: bytes) -> Path:
    path.write_bytes(b"".join(records))
    return path


def members(path: Path, *records: bytes) -> Path:
    path.write_bytes(b"".join(gzip.compress(one, mtime=0) for one in records))
    return path


def one_stream(path: Path, *records: bytes) -> Path:
    path.write_bytes(gzip.compress(b"".join(records), mtime=0))
    return path


LAYOUTS = [plain, members]


def html(url: str, *targets: str, head: str = "", **headers: str) -> bytes:
    """A page that links to each target."""
    body = "".join(f'<a href="{target}">x</a>' for target in targets)
    text = f"<html><head>{head}</head><body>{body}</body></html>"
    return page(url, text.encode(), Content_Type="text/html; charset=utf-8", **headers)


def links_of(*paths: Path) -> dict[tuple[str, str], int]:
    """The links of recordings and their weights, by canonical URL."""
    parse, _ = parser_of(Settings())
    links = recorded_links(RecordedWeb(paths), parse)
    return {(source, target): weight for source, target, weight in links}
