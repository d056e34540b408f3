"""Text that any XML 1.0 parser takes, whatever a page said.

A character that XML knows no way to write (most controls, lone surrogates, U+FFFE) becomes U+FFFD,
the sign for what cannot be shown. The other formats get the same text: many readers of CSV and
UTF-8 stumble over the same characters.
"""

from __future__ import annotations

import re

from frontier.export.columns import Value

# XML 1.0, production 2 (Char).
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
# White space other than a space is normalised by parsers unless it is written as a reference.
_ESCAPES = {
    ord(character): f"&#{ord(character)};" if character.isspace() else f"&{name};"
    for character, name in zip('&<>"\t\n\r', ("amp", "lt", "gt", "quot", "", "", ""), strict=True)
}


# What XML can hold, but a terminal that the document is written to would obey.
_OBEYED = (*range(0x7F, 0xA0), 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A))
_ESCAPES |= {number: f"&#{number};" for number in _OBEYED}


def cleaned(text: str) -> str:
    """Return a text without characters that XML cannot hold."""
    return _ILLEGAL.sub("\ufffd", text)


def escaped(value: Value) -> str:
    """Return a value as it stands in an attribute in double quotes, or between two tags."""
    if isinstance(value, str):
        return cleaned(value).translate(_ESCAPES)
    return str(value).lower() if isinstance(value, bool) else repr(value)
