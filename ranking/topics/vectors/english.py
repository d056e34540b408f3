"""The table that is built in: 60,000 English words, made by tools/word_vectors.py.

Beside the words lie their terms, and how wordllama's tokenizer cuts them and its own words: to find
that takes more time and memory than all else.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from ranking.topics.vectors.table import Pieces, Spelling, WordVectors, by_rank

_FILE: Final = Path(__file__).parent / "english.npz"


class TableCut(NamedTuple):
    """n words as a tokenizer cuts them: the built-in ones, then others that are tokens."""

    spelling: Spelling
    ranks: Any  # integers: of the others, among all words that are tokens
    counts: Any  # (n,) integers: tokens of each word, but for those that stand for any letter
    tokens: Any  # integers: their ids, word after word


def english_words(note: str = "") -> WordVectors:
    """Return the table; `note` is added to its name."""
    spelling, n = stored_spelling(), len(_stored("counts"))
    name = f"English words (GloVe, built in{note})"
    return WordVectors("built-in", name, spelling, by_rank(n), english_pieces(n))


def english_pieces(n: int) -> Pieces:
    """The vectors of n words: of the built-in ones, each a row; others have none."""
    table = _stored("vectors").T
    rows = np.arange(len(table), dtype=np.int32)
    starts = np.minimum(np.arange(n + 1, dtype=np.int32), len(table))
    return Pieces(table, starts, rows, np.ones(len(table), np.float32))


def built_in_words() -> list[str]:
    """The words of the built-in table, most common first."""
    return _lines("words")


def stored_cut(tokenizer: Path, most: int) -> TableCut | None:
    """How the tokenizer of a file cuts words, if that is stored and needs at most `most` tokens."""
    try:
        checksum = zlib.crc32(tokenizer.read_bytes())
    except OSError:
        return None
    tokens = _stored("tokens")
    if checksum != _stored("tokenizer") or tokens.max(initial=0) >= most:
        return None
    return TableCut(stored_spelling(), _stored("ranks"), _stored("counts"), tokens)


def stored_spelling() -> Spelling:
    """The terms of the words of `stored_cut`, which begin with the built-in ones."""
    owners = _stored("owners")  # each word is one term
    return Spelling(_lines("terms"), owners, np.arange(len(owners), dtype=np.int32))


def _lines(key: str) -> list[str]:
    return bytes(_stored(key)).decode().split("\n")


def _stored(key: str) -> Any:
    with np.load(_FILE) as held:
        return held[key]
