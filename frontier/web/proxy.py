"""A forward HTTP proxy on the loopback interface, in front of any ``Web``.

One coroutine a connection, one request after the other on it (RFC 9112 section 9.3),
everything bounded: heads, bodies, silence. Nothing a client sends stops the server;
what it sends badly is answered with 400, 413 or 431 and the connection is closed.

CONNECT is answered with 501. A proxy that looks into https would need a certificate
that clients trust, and a lab has no business in anyone's trust store: ask for
``http://`` URLs, whatever scheme they were recorded under.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from typing import IO, TYPE_CHECKING

from frontier.errors import SettingsError
from frontier.web.answers import Answer, Web, text_answer
from frontier.web.http import (
    Request,
    RequestError,
    body_length,
    chunk_length,
    parse_head,
    render,
)

if TYPE_CHECKING:
    from types import TracebackType

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
# Longer than any URL with its headers that a crawler sends by intent.
_HEAD_LIMIT = 1 << 16
# Forms and API calls of spiders; uploads have no place in a lab.
_BODY_LIMIT = 10 << 20
# Above the keep-alive time of Scrapy's connection pool (240 s): the client closes first,
# so that no request is lost to a connection that dies under it.
_SILENCE = 300.0
# A head that has begun to arrive must be complete after this many seconds.
_SLOWNESS = 30.0
_TUNNEL = (
    "This proxy does not open tunnels, so it cannot serve https:// URLs.\n"
    "Crawl the same pages with http:// URLs: a page recorded under https is found there.\n"
)


def unusable(port: int, error: Exception) -> SettingsError:
    """The error for a port that cannot be listened on."""
    return SettingsError(
        f"expected a free port on {LOOPBACK}, but {port} cannot be used ({error}). "
        "Choose another one, or 0 for any that is free"
    )


class LabServer:
    """Serves one web on 127.0.0.1, as a proxy and as a plain server by Host header.

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
            raise unusable(self.port, error) from error
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
            pass  # The client went away, or was silent for too long.
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Read one request and answer it; False when the connection is to be closed."""
        try:
            request, body = await _receive(reader, writer)
        except RequestError as error:
            await _send(writer, render(_refusal(error), "", "close"))
            return False
        arrived = time.time()
        answer, url = await self._respond(request, body)
        if self._latency:
            await asyncio.sleep(self._latency)
        connection = "keep-alive" if request.keep_alive else "close"
        self._note(arrived, request.method, url, answer.status)
        await _send(writer, render(answer, request.method, connection))
        return request.keep_alive

    async def _respond(self, request: Request, body: bytes) -> tuple[Answer, str]:
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


def _refusal(error: RequestError) -> Answer:
    return text_answer(error.status, f"{error.text}\n")


async def _send(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    if not writer.transport.get_write_buffer_size():
        return
    timer = _abort_after(_SLOWNESS, writer)
    try:
        await writer.drain()
    finally:
        timer.cancel()


def _abort_after(seconds: float, writer: asyncio.StreamWriter) -> asyncio.TimerHandle:
    # A timer instead of wait_for(), which costs a task for every request.
    return asyncio.get_running_loop().call_later(seconds, writer.transport.abort)


async def _receive(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> tuple[Request, bytes]:
    """One request with its body.

    Raises ``RequestError``, ``EOFError`` if the client goes away.
    """
    timer = _abort_after(_SILENCE, writer)
    try:
        request = parse_head(await _read_head(reader))
        timer.cancel()
        timer = _abort_after(_SLOWNESS, writer)
        return request, await _read_body(reader, writer, request)
    finally:
        timer.cancel()


async def _read_head(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise RequestError(431, f"expected a head of at most {_HEAD_LIMIT:,} bytes") from None
    except asyncio.IncompleteReadError as error:
        if error.partial.strip():
            raise RequestError(400, "expected a request that ends with an empty line") from None
        raise


async def _read_body(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: Request
) -> bytes:
    chunked = "transfer-encoding" in request.headers
    length = 0 if chunked else body_length(request, _BODY_LIMIT)
    if not chunked and not length:
        return b""
    if request.headers.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    return await _read_chunks(reader) if chunked else await reader.readexactly(length)


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    """A body in the chunked coding (RFC 9112 section 7.1); trailers are dropped."""
    parts: list[bytes] = []
    room = _BODY_LIMIT
    while size := chunk_length(await _read_line(reader), room):
        parts.append(await reader.readexactly(size))
        room -= size
        await _read_line(reader)
    while await _read_line(reader) not in (b"\r\n", b"\n", b""):
        pass
    return b"".join(parts)


async def _read_line(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readline()
    except ValueError:
        raise RequestError(400, "expected a line that ends") from None
