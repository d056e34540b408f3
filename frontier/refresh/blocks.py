"""The blocks of a page as they are kept for its next revisit: their texts, and where they stand.

A block is the text of an element of the page: a paragraph, a heading, an entry of a list or menu;
or an address that it links to. Of each are kept 32 bits of its text, 32 bits of the place where it
stands, its number of letters, 16 bits of its figures, and 16 bits of its text without any tokens.
Figures and dates are masked before, so that a counter, a clock or "3 days ago" is the same text,
and so are tokens that only machines read, such as session ids. In addresses plain digits stay: they
distinguish pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain, repeat
from typing import Final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

MOST_BLOCKS: Final = 400
"""Texts and links of a page that are kept, 14 bytes each; the texts beyond are one more block."""
NEVER: Final = "never"
ALONE: Final = "alone"
ALWAYS: Final = "always"
NUMBERS: Final = (NEVER, ALONE, ALWAYS)
"""Which figures count: none, figures with a few words at most beside them, or all."""
_WORDS_BESIDE: Final = 5
"""Words that may stand beside a figure that is alone: "Only 3 left in stock"."""
BLOCK: Final = np.dtype(
    [("hash", "<u4"), ("place", "<u4"), ("letters", "<u2"), ("figures", "<u2"), ("plain", "<u2")]
)
_TITLE, _REST = 1, 2
"""Places of the title, and of the texts beyond MOST_BLOCKS."""
_LINK_PLACE: Final = 0x5BD1E995
"""Added to the place of a block for that of the links in it."""
_MONTHS = "january february march april may june july august september october november december"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_NAMES = "|".join(f"{name}|{name[:3]}" for name in f"{_MONTHS} {_DAYS}".split())
_UNITS = "(?:second|minute|hour|day|week|month|year)s?"
_MASKED = re.compile(rf"\d+(?:st|nd|rd|th)?|\b(?:{_NAMES}|{_UNITS}|today|yesterday)\b")
_SHORT: Final = 120
"""Letters of a short text, whose single words and figures tell something."""
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile("[0-9]")
_FIGURE = re.compile(r"\d[\d.,\u00a0'\u2019]*")
_MOMENT = re.compile(
    rf"\d:\d\d|\b\d{{4}}-\d\d\b|\b\d{{1,2}}([./-])\d{{1,2}}\1(?:19|20)\d\d\b|\d{{7}}"
    rf"|\b(?:{_NAMES})\b\.? \d|\d\.?(?:st|nd|rd|th)? (?:{_NAMES})\b|\d {_UNITS}\b|\bago\b|[\u00a9]"
)
"""A date, a time, an age or a long number: its figures tell nothing of the page."""
_BEGIN: Final = "(?<![A-Za-z0-9_-])"
_WORD = re.compile(rf"{_BEGIN}(?:[A-Za-z_-]*[0-9][A-Za-z0-9_-]*|[A-Za-z_-]{{16,}})")
"""A possible token: it has digits, or is longer than most words."""
_UUID = re.compile(r"(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_HEX = re.compile(r"(?i)(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{8,}")
_SWITCH = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[0-9])(?=[A-Za-z])|(?<=[A-Z])(?=[0-9])")
_SHORTEST: Final = 6
_SWITCHES: Final = 3
"""Changes between letters and digits, or to capitals, in a token; words have fewer."""
_SESSION = re.compile(
    r"(?i)([?&;](?:\w*sess(?:ion)?_?(?:id)?|sid|\w*token|csrf\w*|nonce|ts|t|time|timestamp|rand|rnd|cb"
    r"|_|r(?:eq(?:uest)?)?_?id|utm_\w+)=)[^&#;]*"
)
_VALUE = re.compile(r"(?<==)[^&#;\s]{6,}")
_READABLE = re.compile(r"[A-Z]?[a-z]{4,}")
"""A part of a name, not of a token: tokens may hold hyphens themselves."""
_ODD = re.compile(r"[0-9]|[a-z][A-Z]")
_ODD_WORD = re.compile(rf"{_BEGIN}[A-Za-z0-9_-]*(?:{_ODD.pattern})[A-Za-z0-9_-]*")


def blocks_of(
    texts: Iterable[str],
    links: Iterable[str] = (),
    places: Iterable[int] = (),
    link_places: Mapping[str, int] | None = None,
    numbers: str = ALONE,
) -> bytes:
    """Return the blocks of a page as they are kept.

    Args:
        texts: of its blocks, in the order of the page, its title first.
        links: addresses that it links to, in this order, too.
        places: of the blocks behind the title, 32 bits each, see `PageContent.places`; 0 without.
        link_places: of the blocks in which addresses stand, the same.
        numbers: which figures count, one of NUMBERS.

    """
    kept: list[tuple[int, int, int, int, int]] = []
    rest: list[str] = []
    for text, place in zip(texts, chain((_TITLE,), places, repeat(0)), strict=False):
        shown = _without_tokens(text)
        masked = _MASKED.sub("0", shown.casefold())
        if len(kept) >= MOST_BLOCKS:
            rest.append(masked)
            continue
        figures = _figures(shown.casefold(), numbers) if shown == text else 0
        if figures or any(map(str.isalpha, masked)):
            letters, hashed = min(len(masked), 65535), _hash(masked)
            # Only short texts may differ by their tokens alone.
            plain = _plain(text, shown) if len(text) <= _SHORT else hashed & 0xFFFE
            kept.append((hashed, place, letters, figures, plain))
    if rest:
        joined = "\n".join(rest)
        kept.append((_hash(joined), _REST, min(len(joined), 65535), 0, 0))
    of_links = dict.fromkeys(_link(url, (link_places or {}).get(url, 0)) for url in links)
    return np.array([*kept, *list(of_links)[:MOST_BLOCKS]], BLOCK).tobytes()


def block_of_bytes(body: bytes) -> bytes:
    """Return the only block of a body that is no text."""
    return np.array([(crc32(body), 0, min(len(body), 65535), 0, 0)], BLOCK).tobytes()


def read_blocks(blocks: bytes) -> NDArray[np.void]:
    """Return blocks as an array of BLOCK, as far as they are whole."""
    return whole_records(blocks, BLOCK)


def whole_records(data: bytes, kind: np.dtype[np.void]) -> NDArray[np.void]:
    """Return bytes as records of a kind; an incomplete record at the end is left out."""
    return np.frombuffer(data[: len(data) // kind.itemsize * kind.itemsize], kind)


def _hash(text: str) -> int:
    return crc32(text.encode("utf-8", "replace"))


def _link(address: str, place: int) -> tuple[int, int, int, int, int]:
    """A link as a block of one letter."""
    address = _SESSION.sub(r"\1", address)
    shown = _without_tokens(address)
    return _hash(shown), (place + _LINK_PLACE) & 0xFFFFFFFF, 1, 0, _plain(address, shown)


def _plain(text: str, shown: str) -> int:
    """15 bits for a text without possible tokens, and 1 if it has a token.

    A token may look like a number or a word by chance: two texts that are alike without possible
    tokens differ by a token if either has one.
    """
    rest = _ODD_WORD.sub(partial(_masked, _ODD.search), _VALUE.sub("#", text))
    return _hash(rest) & 0xFFFE | (shown != text)


def _figures(text: str, numbers: str) -> int:
    """16 bits for the figures of a text, 0 if they do not count."""
    is_alone = len(text) <= _SHORT and len(_LETTERS.findall(text)) <= _WORDS_BESIDE
    if numbers == NEVER or not (is_alone or numbers == ALWAYS) or _MOMENT.search(text):
        return 0
    figures = [figure.rstrip(".,") for figure in _FIGURE.findall(text)]
    return _hash(" ".join(figures)) & 0xFFFF or 1 if figures else 0


def _without_tokens(text: str) -> str:
    """Mask tokens that only machines read: hexadecimal numbers, session ids, request ids."""
    if len(text) > _SHORT and _DIGIT.search(text) is None:
        return text
    return _WORD.sub(partial(_masked, _is_token), _UUID.sub("#", text))


def _masked(is_odd: Callable[[str], object], word: re.Match[str]) -> str:
    """Mask a word; of a name with hyphens only the odd parts."""
    parts = re.split("([-_])", word[0])
    if any(map(_READABLE.fullmatch, parts)):
        return "".join("#" if is_odd(part) else part for part in parts)
    return "#" if any(map(is_odd, parts)) else word[0]


def _is_token(word: str) -> bool:
    if len(word) < _SHORTEST:
        return False
    return bool(_HEX.fullmatch(word)) or len(_SWITCH.findall(word)) >= _SWITCHES
