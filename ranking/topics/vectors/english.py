"""The table that is built in: 60,000 English words, made by tools/word_vectors.py."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from ranking.topics.vectors.table import Pieces, WordVectors, by_rank, term_vectors

if TYPE_CHECKING:
    from ranking.arrays import FloatArray

__all__ = ["built_in_words", "english_pieces", "english_words"]

_FILE: Final = Path(__file__).parent / "english.npz"


def english_words(note: str = "") -> WordVectors:
    """Return the table; `note` is added to its name."""
    words, shares = built_in_words()
    return term_vectors(f"English words (GloVe, built in{note})", words, shares, english_pieces())


def english_pieces() -> Pieces:
    """The vectors of `built_in_words`, each a piece of its own."""
    import numpy as np

    with np.load(_FILE) as held:
        table = held["vectors"].T
    each = np.arange(len(table))
    return Pieces(table, each, each, np.ones(len(table), np.float32))


def built_in_words() -> tuple[list[str], FloatArray]:
    """The words of the built-in table, most common first, and their shares by Zipf's law."""
    import numpy as np

    with np.load(_FILE) as held:
        words = held["words"].tobytes().decode().split("\n")
    return words, by_rank(len(words))
