"""What is served as text and is none, told by its first bytes (MIME Sniffing Standard)."""

from __future__ import annotations

from frontier.errors import PageError
from frontier.parsing.charset import decoded, marked_charset

__all__ = ["looks_binary", "refuse_binary"]

_MAGIC = (
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG\r\n\x1a\n", "an image"),
    (b"GIF87a", "an image"),
    (b"GIF89a", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"PK\x03\x04", "an archive"),
    (b"\x1f\x8b\x08", "an archive"),
    (b"7z\xbc\xaf\x27\x1c", "an archive"),
    (b"Rar!\x1a\x07", "an archive"),
    (b"BZh9", "an archive"),
    (b"\xfd7zXZ\x00", "an archive"),
    (b"\x28\xb5\x2f\xfd", "an archive"),
    (b"\x7fELF", "a program"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an office document"),
    (b"OggS", "a recording"),
    (b"ID3\x03", "a recording"),
    (b"\x1aE\xdf\xa3", "a recording"),
    (b"wOF2", "a font"),
)
_MAGICS = tuple(magic for magic, _ in _MAGIC)
_LOOKED_AT = 1_024
# MIME Sniffing Standard, binary data bytes; NUL is left out, for some servers pad with it.
_BINARY = bytes(one for one in range(1, 32) if one not in b"\t\n\x0c\r\x1b")
_MOST_BINARY = 0.1
_FEW = 16
"""Share of the first bytes, and their number; a stray control character is no reason."""


def refuse_binary(body: bytes) -> None:
    """Raise PageError for what is no text, by its first bytes."""
    if body.startswith(_MAGICS):
        kind = next(kind for magic, kind in _MAGIC if body.startswith(magic))
        raise PageError(f"expected text as its server says, but it is {kind}")
    if looks_binary(body):
        raise PageError("expected text as its server says, but its bytes are not text")


def looks_binary(body: bytes) -> bool:
    """Whether there are more control characters than in any text."""
    head = body[:_LOOKED_AT]
    codec = marked_charset(head)
    if codec is not None:  # half of each letter of UTF-16 looks like a control character
        head = decoded(head, codec).encode("utf-8", "replace")
    strange = len(head) - len(head.translate(None, _BINARY))
    return strange > max(_FEW, _MOST_BINARY * len(head))
