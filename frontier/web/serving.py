"""Any ``Web`` served on the loopback interface, as a forward HTTP proxy and as a plain server.

One coroutine a connection, one request after the other on it (RFC 9112 section 9.3), heads and
bodies bounded. Nothing a client sends stops the server. CONNECT is answered with 501: a proxy that
looks into https would need a certificate that clients trust, and a lab has no business in anyone's
trust store.
"""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import socket
import threading
import time
from concurrent.futures import Future
from contextlib import contextmanager, nullcontext
from typing import IO, TYPE_CHECKING

from frontier.errors import SettingsError
from frontier.web.answers import (
    Request,
    RequestError,
    Web,
    WebAnswer,
    body_length,
    parse_head,
    render,
    text_answer,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
# Longer than any URL with its headers that a crawler sends by intent.
_HEAD_LIMIT = 1 << 16
# Forms and API calls of spiders; uploads have no place in a lab.
_BODY_LIMIT = 10 << 20
_TUNNEL = (
    "This proxy does not open tunnels, so it cannot serve https:// URLs.\n"
    "Crawl the same pages with http:// URLs: a page recorded under https is found there.\n"
)


class LabServer:
    """Serves one web on 127.0.0.1.

    ``port`` 0 takes any free one; ``latency`` is a delay in seconds before each
    answer; ``log`` gets a JSON line for each request: ``time`` (Unix seconds, when it
    had arrived), ``method``, ``url``, ``status``. Use as ``async with``. Raises
    ``SettingsError`` on entering if the port is taken.
    """

    def __init__(
        self, web: Web, *, port: int = 0, latency: float = 0.0, log: IO[str] | None = None
    ) -> None:
        self.port = port
        self._web = web
        self._latency = latency
        self._log = log
        self._writers: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> LabServer:
        try:
            self._server = await asyncio.start_server(
                self._converse, LOOPBACK, self.port, limit=_HEAD_LIMIT, backlog=1024
            )
        except (OSError, OverflowError) as error:
            raise _unusable(self.port, error) from error
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *error: object) -> None:
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        # Lets the conversations see that their connections are gone.
        await asyncio.sleep(0)

    @property
    def url(self) -> str:
        """What a client sets as its ``http_proxy``."""
        return f"http://{LOOPBACK}:{self.port}"

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while await self._exchange(reader, writer):
                pass
        except (OSError, EOFError):
            pass  # The client went away.
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Read one request and answer it; False when the connection is to be closed."""
        try:
            request = parse_head(await _read_head(reader))
            body = await reader.readexactly(body_length(request, _BODY_LIMIT))
        except RequestError as error:
            writer.write(render(_refusal(error), "", "close"))
            return False
        arrived = time.time()
        answer, url = await self._respond(request, body)
        if self._latency:
            await asyncio.sleep(self._latency)
        self._note(arrived, request.method, url, answer.status)
        connection = "keep-alive" if request.keep_alive else "close"
        writer.write(render(answer, request.method, connection))
        await writer.drain()
        return request.keep_alive

    async def _respond(self, request: Request, body: bytes) -> tuple[WebAnswer, str]:
        """The answer to a request and the URL it was for."""
        if request.method == "CONNECT":
            return text_answer(501, _TUNNEL), request.target
        try:
            url = request.url
        except RequestError as error:
            return _refusal(error), request.target
        try:
            return await self._web.answer(request.method, url, request.headers, body), url
        except Exception:
            logger.exception("No answer for %s", url)
            return text_answer(500, f"The server failed to answer for {url}\n"), url

    def _note(self, arrived: float, method: str, url: str, status: int) -> None:
        if self._log:
            entry = {"time": round(arrived, 6), "method": method, "url": url, "status": status}
            self._log.write(json.dumps(entry) + "\n")


def _refusal(error: RequestError) -> WebAnswer:
    return text_answer(error.status, f"{error.text}\n")


async def _read_head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise RequestError(431, f"expected a head of at most {_HEAD_LIMIT:,} bytes") from None
    except asyncio.IncompleteReadError as error:
        if error.partial.strip():
            raise RequestError(400, "expected a request that ends with an empty line") from None
        raise


def serve_until_stopped(
    web: Web,
    announce: Callable[[LabServer], None],
    *,
    port: int = 0,
    latency: float = 0.0,
    log: Path | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM; ``announce`` is called once, when it is ready.

    ``latency`` in seconds; ``log`` is appended to. Call in the main thread only. Raises
    ``SettingsError`` if the port is taken or the log cannot be written.
    """
    with _open_log(log) if log else nullcontext() as lines:
        server = LabServer(web, port=port, latency=latency, log=lines)

        def begin(stop: Callable[[], None]) -> None:
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, stop)
            announce(server)

        asyncio.run(_serve(server, begin))


def require_usable(port: int, log: Path | None) -> None:
    """Raise ``SettingsError`` for a port or a log that cannot be used, before a web is read."""
    if log is not None:
        _open_log(log).close()
    try:
        socket.create_server((LOOPBACK, port)).close()
    except OSError as error:
        raise _unusable(port, error) from error


def _unusable(port: int, error: Exception) -> SettingsError:
    return SettingsError(
        f"expected a free port on {LOOPBACK}, but {port} cannot be used ({error}). "
        "Choose another one, or 0 for any that is free"
    )


def _open_log(path: Path) -> IO[str]:
    try:
        # A line at a time: whoever reads the log sees every request that was answered.
        return path.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise SettingsError(
            f"expected a log file that can be written, but {path} cannot: {error.strerror}. "
            "Name another file"
        ) from error


@contextmanager
def served(web: Web, *, latency: float = 0.0, log: IO[str] | None = None) -> Iterator[LabServer]:
    """Serve a web from a thread of this process while the block runs.

    Yields the server: its ``url`` is the ``http_proxy``, its ``port`` the port.
    """
    server = LabServer(web, latency=latency, log=log)
    ready: Future[Callable[[], object]] = Future()

    def begin(stop: Callable[[], None]) -> None:
        loop = asyncio.get_running_loop()
        ready.set_result(lambda: loop.call_soon_threadsafe(stop))

    thread = threading.Thread(target=lambda: asyncio.run(_serve(server, begin)), daemon=True)
    thread.start()
    stop = ready.result(timeout=10)
    try:
        yield server
    finally:
        stop()
        thread.join(timeout=10)


async def _serve(server: LabServer, begin: Callable[[Callable[[], None]], None]) -> None:
    """Serve until the function that ``begin`` is given is called, on the same thread."""
    stopped = asyncio.Event()
    async with server:
        begin(stopped.set)
        await stopped.wait()
