"""Pages that say that there is nothing, with a status that says otherwise: soft 404s.

Nobody is asked for pages that cannot exist. What gives a soft 404 away is that it is the same text
wherever one asks: at addresses of several shapes, or at very many of one.
"""

from __future__ import annotations

from collections import OrderedDict

_FEWEST_WORDS = 5
"""Shorter texts are those of galleries and frames, which are the same for other reasons."""
_SHAPES, _URLS = 2, 5
"""So many shapes and URLs give one text, or"""
_MANY_URLS = 20
"""so many URLs of one shape do."""
_REMEMBERED = 10_000
"""Texts, 2 MB."""


class Soft404Pages:
    """Remembers which text was found at how many URLs of a site; those lately seen."""

    def __init__(self) -> None:
        self._seen: OrderedDict[int, int | tuple[int, ...]] = OrderedDict()
        """How many URLs have a text, then their shapes; most have one URL, told by its shape."""

    def is_soft(self, site: str, text: int, words: int, shape: int) -> bool:
        """Note the text of a page, and tell whether it is that of a soft 404.

        `text` is a hash of its words, `words` how many distinct ones it has, `shape` that of its
        URL.
        """
        if words < _FEWEST_WORDS:
            return False
        key = hash((site, text))  # keyed by Python itself: nobody can make two that are equal
        known = self._seen.pop(key, (0,))
        urls, *shapes = known if isinstance(known, tuple) else (1, known)
        if len(shapes) < _SHAPES and shape not in shapes:
            shapes.append(shape)
        self._seen[key] = (urls + 1, *shapes) if urls else shape
        if len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        return urls >= _MANY_URLS or (urls >= _URLS and len(shapes) >= _SHAPES)
