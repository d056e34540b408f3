"""The process that reads difficult pages: started for the first of them, ended when it is late.

No parser can be interrupted, so what may take too long happens where a kill costs nothing. The
crawl waits for the answer, at most as long as a page may cost; then the process ends and the next
difficult page gets another. Its memory is limited by the system. Its answers are JSON: what read a
hostile page is not trusted to name Python objects.

Invariant: between two pages the process waits for the next one, or there is none.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import time
import weakref
from contextlib import suppress

from frontier.errors import PageError
from frontier.parsing import subprocess_protocol
from frontier.parsing.content import PageContent

__all__ = ["SubprocessReader"]

_START_SECONDS = 2.0
"""For the start of an interpreter, beside what the page itself may cost: it happens once."""
_BLOCK = 1 << 16
_MOST_ANSWERED = 256 * 1024 * 1024  # bytes


class SubprocessReader:
    """Reads pages in another process."""

    def __init__(self, seconds: float, memory: int) -> None:
        """`seconds` that a page may take, `memory` in bytes that the process may have."""
        self._seconds = seconds
        self._memory = memory
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def process_id(self) -> int | None:
        """Number of the process, None while there is none."""
        return None if self._process is None else self._process.pid

    def read(self, body: bytes, charset: str, url: str, max_links: int) -> PageContent:
        """Read a page; raises PageError where it takes too long or too much."""
        question = subprocess_protocol.question(body, charset, url, max_links)
        try:
            process = self._running()
            deadline = time.monotonic() + self._seconds
            answer = _exchange(process, question, deadline)
        except TimeoutError:
            self.close()
            raise PageError(f"parsing took longer than {self._seconds:g} s") from None
        except (EOFError, OSError):
            self.close()
            raise PageError(f"parsing took more than {self._memory >> 20} MiB") from None
        return subprocess_protocol.content(answer)

    def close(self) -> None:
        """End the process; the next page starts another."""
        process, self._process = self._process, None
        if process is not None:
            _end(process)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "frontier.parsing.subprocess_main"),
                *(str(self._seconds), str(self._memory)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            # What a terminal sends on Ctrl-C is for the crawl, which ends this process itself.
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )
        weakref.finalize(self, _end, self._process)
        _exchange(self._process, b"", time.monotonic() + _START_SECONDS)
        return self._process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    process.wait()


def _exchange(process: subprocess.Popen[bytes], question: bytes, deadline: float) -> bytes:
    """Write a question and read its answer; raises TimeoutError, and EOFError at its end."""
    assert process.stdin is not None
    assert process.stdout is not None
    left, answer = memoryview(question), bytearray()
    os.set_blocking(process.stdin.fileno(), False)
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        if left:
            selector.register(process.stdin, selectors.EVENT_WRITE)
        while not _is_whole(answer):
            seconds = deadline - time.monotonic()
            ready = selector.select(seconds) if seconds > 0 else []
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                if key.fileobj is process.stdout:
                    answer += _read(process.stdout.fileno())
                    continue
                left = left[os.write(process.stdin.fileno(), left[:_BLOCK]) :]
                if not left:
                    selector.unregister(process.stdin)
    return bytes(answer[subprocess_protocol.LENGTH.size :])


def _read(descriptor: int) -> bytes:
    data = os.read(descriptor, _BLOCK)
    if not data:
        raise EOFError
    return data


def _is_whole(answer: bytearray) -> bool:
    if len(answer) < subprocess_protocol.LENGTH.size:
        return False
    length: int = subprocess_protocol.LENGTH.unpack_from(answer)[0]
    if length > _MOST_ANSWERED:
        raise EOFError
    return len(answer) - subprocess_protocol.LENGTH.size >= length
