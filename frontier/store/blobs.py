"""Texts and arrays as blobs.

The texts of a page's links, and the texts around them, are cut, joined by line ends and compressed,
to about half their size, since menus repeat words; a row for each text would cost more than its
link. An empty blob stands for a page without links. Arrays are the bytes of a `.npy` file, which
name dtype and shape, cut into chunks.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from io import BytesIO
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_ANCHOR = 200
"""Characters kept of a text, as many as are read from a page (`frontier/parsing/html.py`)."""
_LEVEL = 1
"""zlib's level: higher levels save a few per cent and take twice the time."""
_SHORT, _SMALL, _LARGE = 1 << 13, (13, 6), (15, 8)
"""Bytes up to which a text gets the small window and memory: to clear the large ones, zlib's
defaults, takes eight times as long as to compress the texts of a page's links.
"""
CHUNK_BYTES = 64 * 1024
"""Of a chunk that replaces a chunk of the same length, only the changed database pages are written:
most arrays are saved again a little longer.
"""
_LENGTH_ENDS = 10
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(..)"
    rb"\{'descr': '([<>|](?:b1|[iu][1248]|f[248]))', 'fortran_order': False, "
    rb"'shape': \(([\d, ]{0,80})\), \} *\n",
    re.DOTALL,
)
"""numpy.lib.format, version 1.0: length of the rest, dtype, shape."""


def packed(anchors: Sequence[str]) -> bytes:
    """Return the blob of the texts of links; a line end in a text becomes a space."""
    if not anchors:
        return b""
    text = "\n".join(anchors)
    if max(map(len, anchors)) > MAX_ANCHOR or text.count("\n") >= len(anchors):
        text = "\n".join([anchor[:MAX_ANCHOR].replace("\n", " ") for anchor in anchors])
    return deflated(text)


def unpacked(blob: bytes, links: int) -> tuple[str, ...]:
    """Return the texts of `links` links; ValueError where the blob holds something else."""
    if not blob and not links:
        return ()
    texts = tuple(inflated(blob).split("\n"))
    if len(texts) != links:
        raise ValueError(f"expected the texts of {links} links, found {len(texts)}")
    return texts


def deflated(text: str) -> bytes:
    """Return a text compressed; a lone surrogate, which cannot be stored, becomes "?"."""
    data = text.encode("utf-8", "replace")
    compressing = zlib.compressobj(_LEVEL, zlib.DEFLATED, *_SMALL if len(data) < _SHORT else _LARGE)
    return compressing.compress(data) + compressing.flush()


def inflated(blob: bytes) -> str:
    """Return the text of a blob; ValueError where it holds something else."""
    try:
        return zlib.decompress(blob).decode("utf-8")
    except zlib.error as error:
        raise ValueError(f"texts of links or pages cannot be unpacked: {error}") from None


def split(array: NDArray[Any]) -> list[bytes]:
    """Return the chunks of an array without Python objects in it."""
    stream = BytesIO()
    np.lib.format.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)
    view = stream.getbuffer()
    return [bytes(view[at : at + CHUNK_BYTES]) for at in range(0, len(view), CHUNK_BYTES)]


def joined(chunks: Iterable[bytes]) -> NDArray[Any]:
    """Return the array; ValueError where chunks are missing or broken.

    Only the headers that `split` writes are accepted: NumPy would evaluate a broken header as
    Python, and allocate as many values as it names.
    """
    data = bytearray().join(chunks)
    header = _HEADER.match(data)
    if header is None or int.from_bytes(header[1], "little") != header.end() - _LENGTH_ENDS:
        raise ValueError("the header of an array cannot be read")
    dtype = np.dtype(header[2].decode())
    sizes = tuple(int(size) for size in header[3].replace(b",", b" ").split())
    if len(data) - header.end() != prod(sizes) * dtype.itemsize:
        raise ValueError("an array is not as long as its header says")
    return np.frombuffer(data, dtype, offset=header.end()).reshape(sizes)
