"""Texts of pages without what people cannot see, for readers that read everything.

A page can hide instructions to a model in characters without a shape: tag characters and variation
selectors spell whole texts, marks of direction show a text in another order than it has. So all
characters that Unicode calls default-ignorable (UAX 44, DerivedCoreProperties) are taken out, and
control and private characters, halves of characters, and noncharacters.
"""

from __future__ import annotations

import re
from typing import Final

CUT: Final = "…"
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U00013430-\U0001343f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff\U000f0000-\U0010ffff]"
)
_LINE_ENDS: Final = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_BLANK_LINES: Final = re.compile(r"\s*\n\s*\n\s*")


def clean_text(text: str) -> str:
    """Return a text of several lines without unseen characters, with one blank line at most."""
    visible = _UNSEEN.sub("", _LINE_ENDS.sub("\n", text)).replace("\t", " ")
    return _BLANK_LINES.sub("\n\n", visible).strip()


def clean_line(text: str | None, most: int) -> str:
    """Return a text in one line of `most` characters at most; "" without one."""
    # Cut before too, so that a title of megabytes costs nothing.
    line = " ".join(clean_text((text or "")[: 10 * most]).split())
    return line if len(line) <= most else line[: most - 1] + CUT
