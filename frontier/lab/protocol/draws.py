"""Draws that follow from what is drawn: the same for ever, on every machine, in any order.

Each candidate gets a keyed hash and the smallest win. A page that joins or leaves the candidates
changes at most one of those drawn, which shuffling does not promise.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

EXAMPLES = "examples"
STARTS = "starts"


def drawn(candidates: Iterable[str], topic: str, draw: int, what: str) -> list[str]:
    """All candidates in the order of draw number `draw`: take as many as are needed."""
    key = blake2b(f"{what}\0{draw}\0{topic}".encode("utf-8", "surrogatepass")).digest()

    def rank(candidate: str) -> tuple[bytes, str]:
        text = candidate.encode("utf-8", "surrogatepass")
        return blake2b(text, key=key, digest_size=8).digest(), candidate

    return sorted(set(candidates), key=rank)
