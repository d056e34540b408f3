"""Crawls in a browser: a server of the page, its data, and a new picture after every change.

There is a thread for each connection, with one request. A picture is made once for all listeners,
and only while there are any. Each request must have a known name of this host (against DNS
rebinding) and the token of the printed address.
"""

from __future__ import annotations

import gzip
import json
import logging
import os
import re
import secrets
import socket
import sys
import threading
import time
import webbrowser
from contextlib import ExitStack, suppress
from functools import lru_cache
from http.server import BaseHTTPRequestHandler
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from frontier.errors import SettingsError
from frontier.labels.label_file import Label, append_labels
from frontier.labels.questions import never_met
from frontier.urls.url_lists import url_fault
from frontier.watch.page import page_html
from frontier.watch.picture import Pictures
from frontier.web.serving import LOOPBACK, Listener, stop_asked
from ranking.errors import LinkRankError
from ranking.printing import say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

logger = logging.getLogger(__name__)

EVERY = 2.0
"""Seconds between two pictures, at least."""
HEARTBEAT = 15.0
"""Seconds without a picture after which a listener is sent a comment."""
REQUEST_SECONDS = 10.0
"""Seconds until a request must be complete, and for sending each part of an answer."""
MOST_LISTENERS, MOST_CONNECTIONS = 20, 64
MOST_HEAD, MOST_BODY = 8 << 10, 64 << 10
"""Bytes of a request."""
_ANYWHERE = ("", "0.0.0.0", "::")  # noqa: S104  # recognised here, not bound
_UNWRITABLE = re.compile(r"[\0-\x1f\x7f\ud800-\udfff]")
"""Characters of JSON that a file of labels or an argument of a command cannot hold."""
_JSON, _EVENTS, _HTML = "application/json", "text/event-stream", "text/html; charset=utf-8"
_NOTHING = "default-src 'none'; frame-ancestors 'none'"
_HEADERS = {
    "Cache-Control": "no-store",
    "Connection": "close",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class _RefusedError(Exception):
    """Status and text of the answer to a refused request."""


@lru_cache(4)  # the page and the last pictures
def _zipped(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def _packed(document: Any) -> bytes:
    return json.dumps(document, allow_nan=False, separators=(",", ":")).encode()


class _Crawl:
    """A crawl, and its last picture; raises as Pictures does."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.pictures = Pictures(directory)
        self._number, self._data, self._fields = 0, b"", b""
        self._read_at = -EVERY
        self._lock = threading.Lock()

    def latest(self) -> tuple[int, bytes]:
        """Number and JSON of the last picture, which is made anew at most every EVERY seconds."""
        with self._lock:
            began = time.monotonic()
            if began - self._read_at >= EVERY:
                picture = self.pictures.picture()
                fields = _packed({**picture, "now": None})  # a new time alone makes no new picture
                if fields != self._fields:
                    self._fields, self._data = fields, _packed(picture)
                    self._number += 1
                self._read_at = began
            return self._number, self._data


class WatchServer(Listener):
    """Serves crawls from threads of this process; a context manager.

    `port` 0 takes any free one. Raises SettingsError for an address that cannot be used, and
    StoreErrors for a directory without a crawl.
    """

    def __init__(self, directories: Sequence[Path], host: str = LOOPBACK, port: int = 0) -> None:
        self.token = secrets.token_urlsafe(24)
        self.listeners = threading.BoundedSemaphore(MOST_LISTENERS)
        self.explaining = threading.Lock()  # it takes memory
        self._open: set[socket.socket] = set()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,))
        title = " · ".join(directory.resolve().name for directory in directories)
        self.page = page_html(None, True, title, len(directories))
        self.crawls = [_Crawl(directory) for directory in directories]
        try:
            self.address_family = socket.getaddrinfo(host or None, port)[0][0]
            super().__init__((host, port), _WatchHandler)
        except OSError as error:
            raise SettingsError(
                f"expected an address to listen on, but port {port} of {host} cannot be used "
                f"({error.strerror}). Choose another --port, or --port 0 for any that is free"
            ) from error
        name = _bracketed(socket.gethostname() if host in _ANYWHERE else host).lower()
        self._names = {LOOPBACK, "localhost", "[::1]", name}
        self.port: int = self.server_address[1]
        self.url = f"http://{name}:{self.port}/?token={self.token}"

    def __enter__(self) -> WatchServer:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        self._thread.join()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()  # which waits for the threads of connections

    def hosts(self, local: str) -> set[str]:
        """The valid values of Host on a connection to a local address."""
        names = self._names | {_bracketed(local.removeprefix("::ffff:"))}
        return {f"{name}:{self.port}" for name in names} | (names if self.port == 80 else set())

    def process_request(self, request: Any, client_address: Any) -> None:
        if len(self._open) >= MOST_CONNECTIONS:
            self.shutdown_request(request)
            return
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


class _WatchHandler(BaseHTTPRequestHandler):
    """A request and its answer."""

    timeout = REQUEST_SECONDS
    disable_nagle_algorithm = True
    protocol_version = "HTTP/1.1"
    server: WatchServer

    def setup(self) -> None:
        super().setup()
        self.rfile.close()  # its timeout is one of each read, not of the request
        self.command, self._accepted, self._allowed = "", "", "GET, HEAD"
        self._until = time.monotonic() + REQUEST_SECONDS

    def handle(self) -> None:
        status, text, answer = 200, "", None
        try:
            answer = self._answer()
        except _RefusedError as refused:
            status, text = refused.args
        except TimeoutError:
            status, text = 408, "the request took too long"
        except LinkRankError as error:
            status, text = 409 if self.command == "POST" else 404, str(error)
        except Exception as error:
            if not isinstance(error, ConnectionError):
                logger.exception("No answer to %r", self.requestline)
            status, text = 500, "the watcher failed; its terminal says more"
        with suppress(OSError):  # the client has gone
            if answer is not None or status != 200:
                self._send(status, answer or _packed({"error": text}))
            self._drain()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse a request that is not HTTP; the base class would repeat it in its answer."""
        raise _RefusedError(code, "expected a request in HTTP/1.1")

    def _answer(self) -> bytes | None:
        """The bytes of a document, or None if everything was sent."""
        head, body = self._head()
        if not head:
            return None
        self.rfile = BytesIO(head)
        self.raw_requestline = self.rfile.readline()
        if not self.parse_request():
            raise _RefusedError(400, "expected a request in HTTP/1.1")
        host = ",".join(self.headers.get_all("Host") or ()).lower()
        if host not in self.server.hosts(self.connection.getsockname()[0]):
            raise _RefusedError(421, "expected the address that scrapy frontier watch printed")
        path, _, query = self.path.partition("?")
        try:
            values: dict[str, Any] = dict(parse_qsl(query, max_num_fields=9))
        except ValueError:
            raise _RefusedError(400, "expected fewer parameters") from None
        token = values.get("token") or self.headers.get("X-Token") or ""
        if not secrets.compare_digest(token.encode(), self.server.token.encode()):
            raise _RefusedError(403, "expected the token of the address that was printed")
        if path not in _ROUTES:
            raise _RefusedError(404, "no such page")
        self._allowed = "POST" if path == "/label" else "GET, HEAD"
        if self.command not in self._allowed.split(", "):
            raise _RefusedError(405, f"expected {self._allowed}")
        self._accepted = self.headers.get("Accept-Encoding", "")
        if self.command == "POST":
            values = self._posted(host, body)
        crawl = str(values.get("crawl", 0))
        if crawl not in map(str, range(len(self.server.crawls))):
            raise _RefusedError(404, f"expected a crawl from 0 to {len(self.server.crawls) - 1}")
        answer = _ROUTES[path](self, self.server.crawls[int(crawl)], values)
        return answer if answer is None or isinstance(answer, bytes) else _packed(answer)

    # -- the wire ----------------------------------------------------------------------------------

    def _receive(self) -> bytes:
        self.connection.settimeout(max(self._until - time.monotonic(), 0.001))
        portion: bytes = self.connection.recv(8 << 10)
        return portion

    def _head(self) -> tuple[bytes, bytes]:
        """The request up to its empty line, and the received part of its body; b"" without any."""
        data = b""
        while (end := data.find(b"\r\n\r\n") + 4) < 4 and len(data) <= MOST_HEAD:
            portion = self._receive()
            if not portion:
                return b"", b""
            data += portion
        if not 4 <= end <= MOST_HEAD:
            raise _RefusedError(431, f"expected at most {MOST_HEAD:,} bytes before the body")
        return data[:end], data[end:]

    def _posted(self, host: str, body: bytes) -> dict[str, Any]:
        """The JSON object posted by a page of this server."""
        if self.headers.get("Origin", "").lower() != f"http://{host}":
            raise _RefusedError(403, "expected a request of the page itself (Origin)")
        if self.headers.get_content_type() != _JSON:
            raise _RefusedError(415, f"expected {_JSON}")
        size = self.headers.get("Content-Length", "")
        if not (size.isascii() and size.isdecimal()) or "Transfer-Encoding" in self.headers:
            raise _RefusedError(411, "expected a body with a Content-Length, not in chunks")
        if len(size) > 9 or int(size) > MOST_BODY:
            raise _RefusedError(413, f"expected a body of at most {MOST_BODY:,} bytes")
        while len(body) < int(size) and (portion := self._receive()):
            body += portion
        with suppress(ValueError, RecursionError):
            document = json.loads(body[: int(size)])
            if isinstance(document, dict):
                return document
        raise _RefusedError(400, "expected a JSON object")

    def _send(self, status: int, body: bytes, kind: str = _JSON, policy: str = _NOTHING) -> None:
        headers = {**_HEADERS, "Content-Security-Policy": policy, "Content-Type": kind}
        if status == 405:
            headers["Allow"] = self._allowed
        if "gzip" in self._accepted and len(body) > 1000:
            body, headers["Content-Encoding"] = _zipped(body), "gzip"
        if kind != _EVENTS:
            headers["Content-Length"] = str(len(body))
        self.request_version = self.protocol_version  # for HTTP/0.9 no headers would be sent
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.connection.settimeout(REQUEST_SECONDS)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _drain(self) -> None:
        """Read the rest of the request; unread, it would make the kernel reset the connection."""
        self._until = time.monotonic() + 1
        self.connection.shutdown(socket.SHUT_WR)
        while self._receive():
            pass

    # -- the routes --------------------------------------------------------------------------------

    def _page(self, crawl: _Crawl, values: dict[str, Any]) -> None:
        text, policy = self.server.page
        self._send(200, text.encode(), _HTML, policy)

    def _url(self, crawl: _Crawl, values: dict[str, Any]) -> Any:
        url = _checked(_text(values, "url"))
        with self.server.explaining:
            return crawl.pictures.url(url)

    def _search(self, crawl: _Crawl, values: dict[str, Any]) -> Any:
        from frontier.search import search  # here, as most watchers never search

        words = _text(values, "q")
        return search(crawl.directory, words).as_dict()

    def _label(self, crawl: _Crawl, values: dict[str, Any]) -> Any:
        url, wanted = values.get("url"), values.get("wanted")
        if not isinstance(url, str) or not isinstance(wanted, bool):
            raise _RefusedError(400, "expected url, a text, and wanted, true or false")
        label = Label(_checked(url), wanted)
        append_labels(crawl.directory, [label])
        return {"labels": [label._asdict()], "never_met": never_met(crawl.directory, [label])}

    def _events(self, crawl: _Crawl, values: dict[str, Any]) -> None:
        """Send pictures until the listener closes its side of the connection."""
        (number, data), sent, sent_at = crawl.latest(), 0, time.monotonic()
        if not self.server.listeners.acquire(blocking=False):
            raise _RefusedError(503, f"expected at most {MOST_LISTENERS} listeners at once")
        # GET /picture reports why a crawl can no longer be read.
        with suppress(LinkRankError, OSError), ExitStack() as listening:
            listening.callback(self.server.listeners.release)
            self._send(200, b"", _EVENTS)
            while self.command != "HEAD":
                beat = b":\n\n" if time.monotonic() - sent_at >= HEARTBEAT else b""
                if number != sent:
                    beat = b"event: picture\ndata: %s\n\n" % data
                if beat:
                    self.connection.settimeout(REQUEST_SECONDS)
                    self.wfile.write(beat)
                    sent, sent_at = number, time.monotonic()
                self._until = time.monotonic() + EVERY
                with suppress(TimeoutError):
                    self._receive()
                    return
                number, data = crawl.latest()


def _text(values: dict[str, Any], name: str) -> str:
    value = values.get(name)
    if not value:
        raise _RefusedError(400, f"expected a parameter {name}")
    return str(value)


def _checked(url: str) -> str:
    if (fault := url_fault(url)) is None and _UNWRITABLE.search(url):
        fault = "contains control characters or halves of characters"
    if fault is not None:
        raise _RefusedError(400, f"expected a URL, found one that {fault}")
    return url


_ROUTES: dict[str, Callable[[_WatchHandler, _Crawl, dict[str, Any]], Any]] = {
    "/": _WatchHandler._page,
    "/events": _WatchHandler._events,
    "/host": lambda _, crawl, values: crawl.pictures.host(_text(values, "name")),
    "/label": _WatchHandler._label,
    "/map": lambda _, crawl, values: crawl.pictures.map(),
    "/picture": lambda _, crawl, values: crawl.latest()[1],
    "/search": _WatchHandler._search,
    "/url": _WatchHandler._url,
}


def main(directories: Sequence[str], host: str, port: int, *, browser: bool, as_json: bool) -> int:
    """Serve until SIGINT or SIGTERM; returns 0, or 1 with a printed error."""
    stopped = stop_asked()
    try:
        with WatchServer([Path(directory) for directory in directories], host, port) as server:
            address = json.dumps({"url": server.url})
            say([address if as_json else f"{server.url} (Ctrl-C ends it)"], sys.stdout)
            # Without a window system the browser would take over this terminal.
            screen = sys.platform == "darwin" or {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys()
            if browser and screen and sys.stdout.isatty():
                webbrowser.open(server.url)
            stopped.wait()
    except LinkRankError as error:
        say([f"scrapy frontier: {error}"], sys.stderr)
        return 1
    return 0
