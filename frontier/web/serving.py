"""Running a web: in the foreground until a signal, or in a thread beside a test.

The address is announced only when connections are accepted, so that whoever waits for
the line, the port file or the context manager can ask at once.
"""

from __future__ import annotations

import asyncio
import signal
import socket
import threading
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from typing import IO, TYPE_CHECKING

from frontier.errors import SettingsError
from frontier.web.proxy import LOOPBACK, LabServer, unusable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from frontier.web.answers import Web


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
    with ExitStack() as stack:
        lines = stack.enter_context(_open_log(log)) if log else None
        asyncio.run(_serve(LabServer(web, port=port, latency=latency, log=lines), announce))


def require_usable(port: int, log: Path | None) -> None:
    """Raise ``SettingsError`` for a port or a log that cannot be used, before a web is read."""
    if log is not None:
        _open_log(log).close()
    try:
        socket.create_server((LOOPBACK, port)).close()
    except OSError as error:
        raise unusable(port, error) from error


def _open_log(path: Path) -> IO[str]:
    try:
        # A line at a time: whoever reads the log sees every request that was answered.
        return path.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise SettingsError(
            f"expected a log file that can be written, but {path} cannot: {error.strerror}. "
            "Name another file"
        ) from error


async def _serve(server: LabServer, announce: Callable[[LabServer], None]) -> None:
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stopped.set)
    async with server:
        announce(server)
        await stopped.wait()


@contextmanager
def served(web: Web, *, latency: float = 0.0, log: IO[str] | None = None) -> Iterator[LabServer]:
    """Serve a web from a thread of this process while the block runs.

    Yields the server: its ``url`` is the ``http_proxy``, its ``port`` the port.
    """
    server = LabServer(web, latency=latency, log=log)
    ready: Future[Callable[[], None]] = Future()
    thread = threading.Thread(
        target=lambda: asyncio.run(_serve_beside(server, ready)), name="frontier-lab", daemon=True
    )
    thread.start()
    stop = ready.result(timeout=10)
    try:
        yield server
    finally:
        stop()
        thread.join(timeout=10)


async def _serve_beside(server: LabServer, ready: Future[Callable[[], None]]) -> None:
    """Serve until the function put into ``ready`` is called, from any thread."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    try:
        async with server:
            ready.set_result(lambda: _stop(loop, stopped))
            await stopped.wait()
    except SettingsError as error:
        ready.set_exception(error)


def _stop(loop: asyncio.AbstractEventLoop, stopped: asyncio.Event) -> None:
    loop.call_soon_threadsafe(stopped.set)
