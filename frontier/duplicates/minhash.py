"""A page's text as 128 bytes that can be compared: shingles and MinHash.

A shingle is three words in a row, whatever their letter case; the similarity of two texts is the
share of their shingles that both have (Jaccard; Broder 1997, "On the resemblance and containment
of documents"). MinHash, by the library rensa, estimates it: each of 128 hash functions has its
least value at the same shingle in both texts as often as they are alike. Of each least value 8 bits
are kept (Li and König 2010, "b-bit minwise hashing"), which agree by chance once in 256.
"""

from __future__ import annotations

import re
import struct
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rensa import RMinHash

from frontier.duplicates._kernels import shingles
from ranking.letters import clusters, folded

SIZE: Final = 128
"""Hash functions, and bytes of a signature: the estimate is off by 0.035 at a similarity of 0.8."""
SHORTEST: Final = 100
"""Words of a text that has a signature: shorter ones are alike by their menus alone."""
_LONGEST: Final = 20_000
"""Words that are read: a short book."""
_LETTERS_A_WORD: Final = 20
"""In a text with longer words on average, such as Chinese, a word is a letter and its marks."""
_SEED: Final = 1997
ALGORITHM: Final = int(RMinHash.ALGORITHM_VERSION)
"""Signatures of another algorithm cannot be compared."""
_SPACE = re.compile(r"\s+")
_CHANCE = 1 / 256

Signature = NDArray[np.uint8]


class Digest(NamedTuple):
    """The digest of a text: 64 bits of all its words, their number, its signature."""

    whole: int
    words: int
    signature: Signature | None
    """(SIZE,) uint8; None for a short text."""


def digest_of(text: str) -> Digest:
    """Digest of a visible text, whatever its letter case and white space; bounded cost."""
    plain = text.lower() if text.isascii() else folded(text)
    words, whole, hashes = _shingles(plain)
    if len(text) > _LETTERS_A_WORD * words:
        letters = clusters(_SPACE.sub("", folded(text)[: 2 * _LONGEST]))
        words, _, hashes = _shingles(" ".join(letters))
    return Digest(whole, words, _signature(hashes) if words >= SHORTEST else None)


def _shingles(text: str) -> tuple[int, int, NDArray[np.uint64]]:
    """How many words a text has, 64 bits of all of them, and its shingles."""
    encoded = text.encode("utf-8", "replace")
    hashes = np.empty(min(len(encoded) // 2, _LONGEST), np.uint64)
    words, whole = shingles(encoded, hashes)
    return words, whole, hashes[: max(min(words, _LONGEST) - 2, 0)]


def _signature(hashes: NDArray[np.uint64]) -> Signature:
    made = RMinHash.digest_matrix_from_flat_token_hashes(hashes, [0, len(hashes)], SIZE, _SEED)
    return np.frombuffer(struct.pack(f"<{SIZE}I", *made.to_rows()[0])[::4], np.uint8)


def likeness(signature: Signature, others: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Estimate the similarity of a text to k others, (k, SIZE), in [0, 1]; shape (k,)."""
    agreeing = (others == signature).mean(axis=1)
    return np.asarray(np.maximum(agreeing - _CHANCE, 0) / (1 - _CHANCE))
