"""A ``Web`` served on the loopback interface, as a forward HTTP proxy and as a plain server.

It is the standard library's server with a thread for each connection. CONNECT is answered with 501:
a proxy that reads https would need a certificate that clients trust.
"""

from __future__ import annotations

import http.client
import json
import logging
import re
import signal
import threading
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from typing import IO, TYPE_CHECKING, Any, Protocol

from frontier.errors import SettingsError
from frontier.warc.payload import Headers

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
_MOST_BODY = 10 << 20
"""Bytes of a request's body: enough for forms and API calls, not for uploads."""
_ABSOLUTE = re.compile(r"https?://[^/?#]", re.IGNORECASE)
_UNSAFE = re.compile(r"[\r\n\0]+")
_TUNNEL = (
    "This proxy does not open tunnels, so it cannot serve https:// URLs.\n"
    "Crawl the same pages with http:// URLs: a page recorded under https is found there.\n"
)


@dataclass(frozen=True, slots=True)
class WebAnswer:
    """A response to be sent.

    ``status`` is 200 to 599. ``headers`` holds no hop-by-hop field and no Content-Length, which the
    server adds. An empty ``reason`` becomes the usual one of the status.
    """

    status: int
    headers: Headers = field(default_factory=list)
    body: bytes = b""
    reason: str = ""


class Web(Protocol):
    """A source of responses to requests, for several threads at once."""

    def answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> WebAnswer:
        """Answer one request.

        ``url`` is absolute, as the client wrote it; names in ``headers`` are in lower case. HEAD is
        answered like GET; the server omits the body.
        """
        ...


def text_answer(status: int, text: str) -> WebAnswer:
    """A short plain-text answer, for people with curl."""
    return WebAnswer(status, [("Content-Type", "text/plain; charset=utf-8")], text.encode())


class WebServer:
    """Serves one web on 127.0.0.1 from a thread of this process; a context manager.

    ``port`` 0 takes any free one; ``latency`` is a delay in seconds before each answer; ``log``
    gets a JSON line for each request: ``time`` (Unix seconds, when it had arrived), ``method``,
    ``url``, ``status``. Raises ``SettingsError`` if the port is taken.
    """

    def __init__(
        self, web: Web, *, port: int = 0, latency: float = 0.0, log: IO[str] | None = None
    ) -> None:
        try:
            self._listener = _WebListener((LOOPBACK, port), _ProxyHandler)
        except (OSError, OverflowError) as error:
            raise SettingsError(
                f"expected a free port on {LOOPBACK}, but {port} cannot be used ({error}). "
                "Choose another one, or 0 for any that is free"
            ) from error
        self._listener.web, self._listener.latency, self._listener.log = web, latency, log
        self.port: int = self._listener.server_address[1]

    def __enter__(self) -> WebServer:
        threading.Thread(target=self._listener.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        self._listener.shutdown()
        self._listener.server_close()

    @property
    def url(self) -> str:
        """The value of ``http_proxy`` for clients."""
        return f"http://{LOOPBACK}:{self.port}"


class Listener(ThreadingMixIn, TCPServer):
    """Accepts connections, each for a thread of its own."""

    allow_reuse_address = True
    request_queue_size = 1024

    def handle_error(self, request: object, client_address: object) -> None:
        """Log the error of a connection for debugging: clients often go away."""
        logger.debug("The connection of %s ended", client_address, exc_info=True)


class _WebListener(Listener):
    daemon_threads = True
    web: Web
    latency: float
    log: IO[str] | None


class _ProxyHandler(BaseHTTPRequestHandler):
    """The requests on one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _WebListener

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # do_GET and all other methods
            return self._exchange
        raise AttributeError(name)

    def log_message(self, *_: object) -> None:
        """Write nothing to standard error."""

    def _exchange(self) -> None:
        arrived = time.time()
        url = self.path.encode("latin-1").decode("utf-8", "replace")
        if not _ABSOLUTE.match(url) and url.startswith("/") and self.headers.get("Host"):
            url = f"http://{self.headers['Host']}{url}"
        answer = self._answer(url)
        time.sleep(self.server.latency)
        if self.server.log is not None:
            entry = {"time": round(arrived, 6), "method": self.command, "url": url}
            self.server.log.write(json.dumps(entry | {"status": answer.status}) + "\n")
        self.wfile.write(_rendered(answer, self.command, close=self.close_connection))

    def _answer(self, url: str) -> WebAnswer:
        if self.command == "CONNECT":
            return text_answer(501, _TUNNEL)
        if not _ABSOLUTE.match(url):
            return self._refusal(400, "expected an absolute URL, or a path with a Host header")
        size = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not size.isdecimal():
            return self._refusal(411, "expected a body with a Content-Length, not in chunks")
        if int(size) > _MOST_BODY:
            return self._refusal(413, f"expected a body of at most {_MOST_BODY:,} bytes")
        headers = {name.lower(): value for name, value in self.headers.items()}
        try:
            body = self.rfile.read(int(size))
            return self.server.web.answer(self.command, url, headers, body)
        except Exception:
            logger.exception("No answer for %s", url)
            return text_answer(500, f"The server failed to answer for {url}\n")

    def _refusal(self, status: int, text: str) -> WebAnswer:
        """Refuse a request and close the connection, because its body is not read."""
        self.close_connection = True
        return text_answer(status, f"{text}\n")


def _rendered(answer: WebAnswer, method: str, *, close: bool) -> bytes:
    """The bytes of a response; a line break in a header, which would begin another, is a blank."""
    reason = answer.reason or http.client.responses.get(answer.status, "")
    lines = [f"HTTP/1.1 {answer.status} {_UNSAFE.sub(' ', reason)}"]
    lines += [f"{name}: {_UNSAFE.sub(' ', value)}" for name, value in answer.headers]
    # RFC 9110, section 8.6: no Content-Length with 204, and none with 304, which has no body.
    bodiless = answer.status in (204, 304)
    if not bodiless:
        lines.append(f"Content-Length: {len(answer.body)}")
    lines.append(f"Connection: {'close' if close else 'keep-alive'}\r\n\r\n")
    head = "\r\n".join(lines).encode("latin-1", "replace")
    return head if bodiless or method == "HEAD" else head + answer.body


def stop_asked() -> threading.Event:
    """An event that is set by SIGINT and SIGTERM; to be called in the main thread."""
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    return stopped


def serve_until_stopped(
    web: Web,
    announce: Callable[[WebServer], None],
    *,
    port: int = 0,
    latency: float = 0.0,
    log: Path | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM; ``announce`` is called once, when it is ready.

    ``latency`` in seconds; ``log`` is appended to. Call in the main thread only. Raises
    ``SettingsError`` if the port is taken or the log cannot be written.
    """
    stopped = stop_asked()
    with (
        _open_log(log) if log else nullcontext() as lines,
        WebServer(web, port=port, latency=latency, log=lines) as server,
    ):
        announce(server)
        stopped.wait()


def _open_log(path: Path) -> IO[str]:
    try:
        # Line by line, so that readers of the log see every answered request.
        return path.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise SettingsError(
            f"expected a log file that can be written, but {path} cannot: {error.strerror}. "
            "Name another file"
        ) from error
