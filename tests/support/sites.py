"""Sites scripted path by path, on real sockets of the loopback interface."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Page = tuple[int, dict[str, str], bytes]
Answer = str | Page | Callable[["Asked"], "Page"]


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
    """A site scripted path by path; a str is HTML with status 200. What is not listed is a 404."""

    pages: dict[str, Answer]
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

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Page:
        with self._lock:
            count = 1 + sum(one.path == path and one.method == method for one in self.asked)
            asked = Asked(method, path, headers, body, count)
            self.asked.append(asked)
            self._active += 1
            self.at_once = max(self.at_once, self._active)
        try:
            answer = self.pages.get(path, (404, {}, b"nothing here"))
            if callable(answer):
                answer = answer(asked)
            if isinstance(answer, str):
                return 200, {"Content-Type": "text/html; charset=utf-8"}, answer.encode()
            return answer
        finally:
            with self._lock:
                self._active -= 1


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: the second would wait 40 ms for an answer
    site: Site

    def _serve(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size)
        sent = {name.lower(): value for name, value in self.headers.items()}
        status, headers, content = self.site.answer(self.command, self.path, sent, body)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_HEAD = _serve

    def log_message(self, format: str, *args: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is part of the test."""


@contextmanager
def serving(pages: dict[str, Answer]) -> Iterator[Site]:
    """Serve a site on a free port of the loopback interface."""
    site = Site(pages)
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
