"""One message: numbers, bytes and texts, written and read in one order.

::

    u8 version   u8 kind   u32 a   u32 b   u32 c   a bytes of numbers   b bytes of text

Little-endian. All text of a message is one piece of c bytes of UTF-8, in which lone surrogates stay
what they are, deflated where b is less than c. How long each text is, and each piece of bytes, is
among the numbers; less than 0 stands for None.

Nothing that a reader is given makes it run anything, or allocate more than its length and MOST_TEXT
allow.
"""

from __future__ import annotations

import struct
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from frontier.errors import ExchangeError, described

if TYPE_CHECKING:
    from collections.abc import Iterator
    from struct import Struct

WIRE_VERSION: Final = 4
"""Of what messages hold and in which order."""
MOST_TEXT: Final = 1 << 28
"""Bytes of text in a message: many times what is read of the largest page."""
_HEAD: Final = struct.Struct("<BBIII")
_WORTH_IT: Final = 200
"""Bytes of text that are worth deflating."""
_LEVEL: Final = 1
"""Of zlib: a page's links take a fifth, and two thirds of the time of packing them."""


@contextmanager
def in_plain_words(what: str, remedy: str) -> Iterator[None]:
    """Raise ExchangeError for whatever is wrong with a message."""
    try:
        yield
    except (struct.error, zlib.error, ValueError, LookupError, OverflowError) as error:
        raise ExchangeError(f"expected {what}, got {described(error)}; {remedy}") from error


class Writer:
    """Collects what goes into a message; use it within `in_plain_words`."""

    def __init__(self) -> None:
        self.numbers: list[bytes] = []
        """Packed numbers, in between pieces of bytes."""
        self.texts: list[str] = []

    def add(self, form: Struct, *values: Any) -> None:
        """Add some numbers."""
        self.numbers.append(form.pack(*values))

    def add_bytes(self, *pieces: bytes | None) -> None:
        """Add bytes, whose sizes are to be added as numbers before."""
        self.numbers += [one for one in pieces if one is not None]

    def add_texts(self, *texts: str | None) -> None:
        """Add texts likewise."""
        self.texts += [one for one in texts if one is not None]

    def message(self, kind: int) -> bytes:
        """Return the message of all that was added."""
        numbers = b"".join(self.numbers)
        text = sent = "".join(self.texts).encode("utf-8", "surrogatepass")
        if len(text) > MOST_TEXT:
            raise ValueError(_too_much(len(text)))
        if len(text) >= _WORTH_IT:
            deflated = zlib.compress(text, _LEVEL)
            sent = deflated if len(deflated) < len(text) else text
        return _HEAD.pack(WIRE_VERSION, kind, len(numbers), len(sent), len(text)) + numbers + sent


class Reader:
    """Gives back what was added, in that order; use it within `in_plain_words`."""

    def __init__(self, data: bytes, kind: int) -> None:
        version, found, numbers, sent, size = _HEAD.unpack_from(data)
        if version != WIRE_VERSION or found != kind:
            raise ValueError(f"a message of version {version} and kind {found}")
        self._end = _HEAD.size + numbers
        if self._end + sent != len(data):
            raise ValueError(f"{len(data)} bytes in place of {self._end + sent}")
        self._data = data
        self._at = _HEAD.size
        self.text = _inflated(data[self._end :], size).decode("utf-8", "surrogatepass")
        """All texts in a row."""
        self.read = 0
        """Characters of them that were taken."""

    def take(self, form: Struct) -> tuple[Any, ...]:
        """The next numbers."""
        found = form.unpack_from(self._data, self._at)
        self._move(form.size)
        return found

    def rows(self, form: Struct, n: int) -> Iterator[tuple[Any, ...]]:
        """The next numbers, n times of one form."""
        return form.iter_unpack(self.take_bytes(n * form.size) or b"")

    def take_bytes(self, size: int) -> bytes | None:
        """The next piece of bytes; None where its size is below 0."""
        if size < 0:
            return None
        start = self._at
        self._move(size)
        return self._data[start : self._at]

    def take_text(self, size: int) -> str | None:
        """The next text, likewise."""
        if size < 0:
            return None
        start = self.read
        self.read += size
        return self.text[start : self.read]

    def _move(self, size: int) -> None:
        self._at += size
        if self._at > self._end:
            raise ValueError("numbers that go on behind their end")

    def close(self) -> None:
        """Raise ValueError unless all was taken, and no more than there is."""
        if (self._at, self.read) != (self._end, len(self.text)):
            raise ValueError("texts and numbers that do not fill the message")


def size_of(one: bytes | str | None) -> int:
    """Return how long it is; -1 for None."""
    return -1 if one is None else len(one)


def _inflated(sent: bytes, size: int) -> bytes:
    if size > MOST_TEXT:
        raise ValueError(_too_much(size))
    if len(sent) == size:
        return sent
    inflater = zlib.decompressobj()
    text = inflater.decompress(sent, size + 1)
    if len(text) != size or not inflater.eof or inflater.unused_data:
        raise ValueError(f"text that is not of {size} bytes")
    return text


def _too_much(size: int) -> str:
    return f"{size} bytes of text where {MOST_TEXT} are allowed"
