r"""Text as its letters: what reads alike is written alike, and a mark goes with its letter.

Many scripts write vowels as marks (Unicode category M), which are no `\w` of `re`. By the rules for
word boundaries (UAX 29, WB4) no word ends at a mark. Marks of Indic scripts, Thai, Burmese, Khmer
and others spell the word and stay. Those that only help to pronounce it are left out, as most
writers and search engines do: the points of Hebrew, Arabic and Syriac, the stress of Russian words,
accents that make no letter of their own, as é is. So are characters without a shape that divide
nothing (soft hyphen, joiners, directions, variation selectors) and what stretches an Arabic word.

Signs divide words but in a few names that are others without them: C++, C#, .NET, AT&T.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import Final, Literal
from unicodedata import category, normalize

_LEFT_OUT: Final = re.compile(
    r"[\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    r"\u061c\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711"
    r"\u0730-\u074a\u07fa\u0898-\u089f\u08ca-\u08e1\u08e3-\u08ff\u135d-\u135f\u180b-\u180f\u1ab0-\u1aff"
    r"\u1dc0-\u1dff\u200c-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff\u2cef-\u2cf1\u2de0-\u2dff"
    r"\u302a-\u302f\u3099\u309a\ua66f-\ua672\ua674-\ua67d\ua69e\ua69f\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f"
    r"\ufeff\U000e0000-\U000e01ef]"
)
# Beyond the first plane those of living scripts, Chakma and Adlam: each range costs time.
_SCRIPTS_WITH_MARKS = (0x700, 0x1D00), (0xA800, 0xAC00), (0x11100, 0x11150), (0x1E900, 0x1E960)

MARKS: Final = "".join(
    char
    for start, end in _SCRIPTS_WITH_MARKS
    for char in map(chr, range(start, end))
    if category(char)[0] == "M" and not _LEFT_OUT.match(char)
)
"""Marks that spell words."""

_RUNS = groupby(enumerate(map(ord, MARKS)), lambda place: place[1] - place[0])
IN_CLASS: Final = "".join(
    f"{chr(run[0][1])}-{chr(run[-1][1])}" for run in (list(run) for _, run in _RUNS)
)
"""The same as ranges in a character class of `re`, which of single ones beyond the first plane asks
each."""

UNSPACED: Final = (
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF)),  # Thai, Lao, Burmese, Khmer
    *((0x1950, 0x19FF), (0x1A20, 0x1AAF), (0xA9E0, 0xA9FF), (0xAA60, 0xAADF)),  # Tai, Shan
    *((0x3040, 0x30FF), (0x3400, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)),  # kana, Han
)
"""First and last characters of scripts that put no spaces between words."""

_SIGNS = (
    r"(?<=[a-z])\+\+(?![a-z])"  # c++, notepad++, c++17; not a++b
    r"|(?<=[a-z])(?<![a-z\d][a-z])#(?![a-z])"  # c#, f#; not issue#12, a#b
    r"|(?<=[a-z])(?<![a-z\d]{2}[a-z])(?<!\d[a-z])&[a-z](?![a-z\d])"  # at&t, r&d; not a&lt;
)
WORD: Final = rf"(?:(?<![a-z\d])\.net(?![a-z])|\w[\w{IN_CLASS}]*(?:{_SIGNS})?)"
"""Pattern of a word in folded text, or in any with `re.IGNORECASE`: letters with their marks,
digits and underscores, and the signs of names such as c++, c#, .net and at&t. What stands before a
name may be of a script without spaces."""

clusters: Final = re.compile(f".[{IN_CLASS}]*", re.DOTALL).findall
"""The letters of a text, each with its marks."""


def folded(text: str, form: Literal["NFC", "NFKC"] = "NFC") -> str:
    """Return a text in letters of one case and one spelling, without what is left out."""
    text = normalize(form, text).casefold()
    if not _LEFT_OUT.search(text):
        return text
    # Composed first, so that what makes a letter is not left out, and again if there was a joiner.
    return normalize("NFC", _LEFT_OUT.sub("", normalize("NFC", text)))
