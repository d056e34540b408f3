"""A remembered page as the store keeps it: 32 bytes, and 128 more of a text that has a signature.

    u1 version   u1 algorithm of the signature   u1 1 for an original   u1 unused   u4 words
    u4 title   4 bytes unused   u8 text   u8 body   128 bytes signature, or none

A record of another version, or with a signature of another algorithm, is passed over: its page is
held against nothing, and all else of it is as it was.
"""

from __future__ import annotations

import struct
from typing import Final

import numpy as np

from frontier.duplicates.finder import Entry, Page
from frontier.duplicates.minhash import ALGORITHM, SIZE, Digest

_VERSION: Final = 1
_HEAD: Final = struct.Struct("<BB?xII4xQQ")
_LONGEST: Final = 2**32 - 1


def packed(entry: Entry) -> bytes:
    """Return what the store keeps of a remembered page."""
    page, is_original = entry
    whole, words, signature = page.digest
    words = min(words, _LONGEST)
    head = _HEAD.pack(*(_VERSION, ALGORITHM, is_original, words, page.title, whole, page.body))
    return head if signature is None else head + signature.tobytes()


def unpacked(url_id: int, host: int, blob: bytes) -> Entry | None:
    """Return a page as it was remembered; None for a record that is of no use any more."""
    if len(blob) not in (_HEAD.size, _HEAD.size + SIZE) or blob[0] != _VERSION:
        return None
    _, algorithm, is_original, words, title, whole, body = _HEAD.unpack_from(blob)
    signature = None
    if len(blob) > _HEAD.size:
        if algorithm != ALGORITHM:
            return None
        signature = np.frombuffer(blob, np.uint8, offset=_HEAD.size)
    return Entry(Page(url_id, host, title, body, Digest(whole, words, signature)), is_original)
