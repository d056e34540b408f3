"""Passages that several texts say word for word: menus, headers, footers and slogans.

Two pages about one topic share its words, but hardly ever eight in a row. Pages of one site do,
and there can be more of that than of what the pages are about. Near-duplicates are found by the
same runs of words (shingles: Broder 1997).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

__all__ = ["said_once"]

_LENGTH: Final = 8  # terms in a row


def said_once(texts: Sequence[Sequence[str]]) -> list[list[str]]:
    """Leave out of each text (terms in order) the passages that an earlier one says, too."""
    seen: set[tuple[str, ...]] = set()
    kept = []
    for text in texts:
        passages = [tuple(text[at : at + _LENGTH]) for at in range(len(text) - _LENGTH + 1)]
        again = bytearray(len(text))
        for at, passage in enumerate(passages):
            if passage in seen:
                again[at : at + _LENGTH] = b"\1" * _LENGTH
        seen.update(passages)
        kept.append([term for term, said in zip(text, again, strict=True) if not said])
    return kept
