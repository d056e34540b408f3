"""Sites scripted path by path, on real sockets of the loopback interface."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Page = tuple[int, dict[str, str], bytes]


@dataclass(frozen=True)
class Raw:
    """Bytes that are written as they are `after` so many seconds; then the connection is closed."""

    data: bytes = b""
    after: float = 0


SILENT = Raw(after=3600)
"""No answer."""
Said = str | bytes | Page | Raw | None
"""HTML, binary data, (status, headers, body), raw bytes; None is a 404."""
Answer = Said | Callable[["Asked"], Said]
Pages = Mapping[str, Answer] | Callable[["Asked"], Said]
"""Answers by path, or one function for all but robots.txt, which there is none of then."""


@dataclass(frozen=True)
class Asked:
    """One request as the server saw it; names of headers are in small letters."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    count: int
    """How often its method and path came, this time included."""

    @property
    def site(self) -> str:
        """The address of the site, as the client has it."""
        return f"http://{self.headers['host']}"


@dataclass
class Site:
    """A site scripted path by path; what is not listed is a 404.

    With `keeps_alive` a connection carries more than one request. Twisted repeats by itself what
    fails on one that was used before.
    """

    pages: Pages
    keeps_alive: bool = True
    asked: list[Asked] = field(default_factory=list)
    at_once: int = 0
    _active: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def paths(self) -> list[str]:
        """Paths in the order asked for, robots.txt aside."""
        return [one.path for one in self.asked if one.path != "/robots.txt"]

    @property
    def requests(self) -> Counter[str]:
        """How often each "METHOD path body" was asked for, robots.txt included."""
        each = (f"{one.method} {one.path} {one.body.decode('latin-1')}" for one in self.asked)
        return Counter(one.rstrip() for one in each)

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Page | Raw:
        with self._lock:
            count = 1 + sum(one.path == path and one.method == method for one in self.asked)
            asked = Asked(method, path, headers, body, count)
            self.asked.append(asked)
            self._active += 1
            self.at_once = max(self.at_once, self._active)
        try:
            return _as_page(self._said(asked))
        finally:
            with self._lock:
                self._active -= 1

    def _said(self, asked: Asked) -> Said:
        if callable(self.pages):
            return None if asked.path == "/robots.txt" else self.pages(asked)
        answer = self.pages.get(asked.path)
        return answer(asked) if callable(answer) else answer


def _as_page(said: Said) -> Page | Raw:
    if said is None:
        return 404, {}, b"nothing here"
    if isinstance(said, str):
        return 200, {"Content-Type": "text/html; charset=utf-8"}, said.encode()
    if isinstance(said, bytes):
        return 200, {"Content-Type": "application/octet-stream"}, said
    return said


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: the second would wait 40 ms for an answer
    site: Site

    def _serve(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size)
        sent = {name.lower(): value for name, value in self.headers.items()}
        answer = self.site.answer(self.command, self.path, sent, body)
        if isinstance(answer, Raw):
            time.sleep(answer.after)
            self.wfile.write(answer.data)
            self.close_connection = True
            return
        status, headers, content = answer
        self.send_response(status)
        if not self.site.keeps_alive:
            self.send_header("Connection", "close")
        for name, value in headers.items():
            self.send_header(name, value)
        has_body = status not in (204, 304)
        if has_body:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if has_body and self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = do_CONNECT = _serve

    def log_message(self, format: str, *args: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1000

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is part of the test."""


@contextmanager
def serving(pages: Pages, *, keeps_alive: bool = True) -> Iterator[Site]:
    """Serve a site on a free port of the loopback interface."""
    site = Site(pages, keeps_alive)
    handler = type("Handler", (_Handler,), {"site": site})
    server = _Server(("127.0.0.1", 0), handler)
    site.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def redirect(target: str, status: int = 302) -> Page:
    return status, {"Location": target}, b""


def links(*targets: str, text: str = "", title: str = "a page") -> str:
    """An HTML page that links to each target; the anchor is the target's path."""
    anchors = " ".join(f'<a href="{one}">{one}</a>' for one in targets)
    return f"<html><head><title>{title}</title></head><body><p>{text}</p>{anchors}</body></html>"


def json_page(text: str, status: int = 200) -> Page:
    """An answer of JSON."""
    return status, {"Content-Type": "application/json"}, text.encode()


def typed(kind: str, body: str | bytes, **headers: str) -> Page:
    """An answer of any type; underscores in header names stand for dashes."""
    content = body.encode() if isinstance(body, str) else body
    more = {name.replace("_", "-"): value for name, value in headers.items()}
    return 200, {"Content-Type": kind, **more}, content
