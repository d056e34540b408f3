"""Webs without end or with very many pages, made as they are asked for, for a driven crawl."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from zlib import crc32

from tests.support.driven_crawl import Page

LETTERS = "abcdefghijklmnoprstuvwz"
_rng = random.Random(11)
VOCABULARY = ["".join(_rng.choice(LETTERS) for _ in range(_rng.randint(3, 9))) for _ in range(6000)]
"""Words of a made-up language; the first ones are the most frequent."""


class MadeWeb(dict[str, Page]):
    """Pages by URL, made when they are first asked for; what `make` does not know is a 404."""

    def __init__(self, make: Callable[[str], Page | None]) -> None:
        super().__init__()
        self._make = make

    def get(self, url: str, default: Page | None = None) -> Page | None:  # type: ignore[override]  # of a page
        page = self._make(url)
        return default if page is None else page


def prose(name: str, length: int = 80, n_names: int = 4) -> str:
    """A text of its own, in the made-up language: words as frequent as in any, and a few names."""
    rng = random.Random(crc32(name.encode()))
    words = [VOCABULARY[int(rng.paretovariate(0.55)) % len(VOCABULARY)] for _ in range(length)]
    names = ["".join(rng.choice(LETTERS) for _ in range(8)) for _ in range(n_names)]
    return " ".join([*words, *names])


def said(text: str, links: Iterable[str] = ()) -> Page:
    """A page with a text and links."""
    return Page(dict.fromkeys(links, 0.0), text=text)
