"""Processes beside the crawl that read what takes long: main texts, and PDFs.

Each is asked for one page after the other. It dies with the crawl, and is ended and replaced where
a page takes too long, too much memory, or kills it: such a page has no text.
"""

from __future__ import annotations

import os
import pickle
import resource
import socket
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.parsing.content import PageContent
    from frontier.texts.page_text import PackedText

SECONDS: Final = 10.0
"""Seconds for a page; then the process is ended."""
MEMORY: Final = 2 << 30
"""Bytes of address space of a process."""
_NICE: Final = 5
"""So much the crawl goes before it where both want the same processor."""
_MOST: Final = 4
_ENVIRONMENT: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
"""A process needs no threads, each of which reserves memory."""
_TOLD: Final = (EOFError, OSError, pickle.UnpicklingError)


class TextWorkers:
    """Up to `number` processes, each started when it is first needed.

    `number` is by default that of the processors but one, and 4 at most.
    """

    def __init__(self, number: int = 0, seconds: float = SECONDS) -> None:
        number = number or min(max((os.cpu_count() or 1) - 1, 1), _MOST)
        self._threads = ThreadPoolExecutor(number, thread_name_prefix="texts")
        self._seconds = seconds
        self._own = threading.local()
        self._all: list[_Worker] = []

    def main_text(self, html: str, url: str, title: str) -> Future[PackedText | None]:
        """Begin to extract the main text of a page; None: it has none, or it takes too long."""
        return self._threads.submit(self._ask, "main", html, url, title)

    def pdf(self, body: bytes, url: str, max_links: int) -> Future[PageContent | None]:
        """Begin to read a PDF; None where it cannot be read."""
        return self._threads.submit(self._ask, "pdf", body, url, max_links)

    def _ask(self, *question: object) -> Any:
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            worker = self._own.worker = _Worker()
            self._all.append(worker)
        answer = worker.ask(question, self._seconds)
        if not worker.lives:
            self._all.remove(worker)
            self._own.worker = None
        return answer

    def close(self) -> None:
        """End all processes, whatever they do."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in list(self._all):
            worker.end()
        self._threads.shutdown()


class _Worker:
    """One process."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", "frontier.texts.worker", str(theirs.fileno())]
            self._process = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **_ENVIRONMENT, "PYTHONPATH": os.pathsep.join(sys.path)},
                start_new_session=True,  # Ctrl-C is for the crawl, which ends it
            )
        self._connection = Connection(ours.detach())
        self.lives = True

    def ask(self, question: tuple[object, ...], seconds: float) -> Any:
        """Return the answer; None where there is none in time, and the process is ended."""
        with suppress(*_TOLD):
            self._connection.send(question)
            if self._connection.poll(seconds):
                return self._connection.recv()
        self.end()
        return None

    def end(self) -> None:
        """End the process."""
        self.lives = False
        self._process.kill()
        self._process.wait()
        with suppress(OSError):
            self._connection.close()


def _main(html: str, url: str, title: str) -> PackedText | None:
    from frontier.texts.main_text import main_text

    found = main_text(html, url, title)
    return None if found is None else found.text.packed(found.visible)


def _pdf(body: bytes, url: str, max_links: int) -> PageContent:
    from frontier.texts.pdf import pdf_content

    return pdf_content(body, url, max_links)


_ANSWERS: Final[dict[str, Callable[..., Any]]] = {"main": _main, "pdf": _pdf}


def serve(connection: Connection) -> None:
    """Answer one question after the other, until nobody asks any more."""
    with suppress(*_TOLD):
        while True:
            kind, *given = connection.recv()
            answer = None
            with suppress(Exception, MemoryError, RecursionError):  # of parsers, on broken pages
                answer = _ANSWERS[kind](*given)
            connection.send(answer)


if __name__ == "__main__":
    os.nice(_NICE)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    serve(Connection(int(sys.argv[1])))
