"""In which charset a page is written, whoever says what about it.

In the order of the Encoding and HTML Standards: a byte order mark, the Content-Type header, a
declaration in the page, what the bytes look like. A label that no browser knows (`binary`, `utf-7`,
a typing error) says nothing, and one that the bytes contradict is not believed: pages are found by
their links, and a link that was decoded wrongly leads nowhere. Names are those of Python's codecs,
all of which w3lib and lxml know too.

Everything is decided from the page's first bytes and from samples, in time that hardly depends on
the size of the page.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import webencodings

__all__ = ["FALLBACK", "charset_of", "decoded", "marked_charset"]

FALLBACK: Final = "cp1252"
"""Where nothing fits, as browsers have it."""

_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
# Where the NULs stand in the first characters of markup, if it is written in wide characters.
_WIDE = (
    (re.compile(rb"\x00\x00\x00[\x09-\x7e]\x00\x00\x00[\x09-\x7e]"), "utf-32-be"),
    (re.compile(rb"[\x09-\x7e]\x00\x00\x00[\x09-\x7e]\x00\x00\x00"), "utf-32-le"),
    (re.compile(rb"\x00[\x09-\x7e]\x00[\x09-\x7e]"), "utf-16-be"),
    (re.compile(rb"[\x09-\x7e]\x00[\x09-\x7e]\x00"), "utf-16-le"),
)
# Codecs of Python for encodings that the standard names otherwise: each reads more than the one of
# the same name, as browsers do.
_CODECS = {
    "windows-1252": "cp1252",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac_cyrillic",
    "macintosh": "mac_roman",
    "iso-8859-8-i": "iso8859_8",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "iso-2022-jp": "iso2022_jp_ext",
    "x-user-defined": FALLBACK,
}
_REFUSED = frozenset({"hz-gb-2312", "iso-2022-kr"})
"""Names under which plain letters stand for markup; the standard reads nothing in them."""
_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([^\s;,\"']+)", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
# Neither repetition can match what follows it, so both are linear.
_META = re.compile(rb"<meta[\s/]([^>]{0,2000})", re.IGNORECASE)
_IN_META = re.compile(rb"(?:^|[\s/;\"'])charset\s*=\s*[\"']?\s*([\w:.-]+)", re.IGNORECASE)
_XML = re.compile(rb"\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']\s*([\w:.-]+)", re.IGNORECASE)
_PRESCAN = 16_384
"""Bytes searched for a declaration: browsers begin again for one that comes later than 1,024."""
_DECLARATION = 200
"""Bytes behind its name that a declaration nearly always ends within."""
_SAMPLE = 4_096
_SAMPLES = 16
_WRONG = 0.02
"""Share of the characters beyond ASCII that may be wrong before a label is not believed."""
_WRONG_UTF8 = 0.5
"""The same for UTF-8: what can be read as it at all was hardly written as something else."""
_LEADS = bytes(range(0xC2, 0xF5))
"""With which the characters beyond ASCII begin in UTF-8."""
_ACCIDENT = 6
_GUESSED = 16_384
"""Bytes that a charset is guessed from, beginning with the first that is not ASCII."""
_LONG_RUN = re.compile(rb"[\x80-\xff]{4}")
"""In western languages such letters stand alone; too few of them to guess from."""
_CANDIDATES = (
    *("cp932", "euc_jp", "gb18030", "big5hkscs", "cp949", "cp1251", "koi8_r", "cp1252", "cp1253"),
    *("cp1255", "cp1256"),
)


def charset_of(body: bytes, content_type: str = "") -> str:
    """Return the codec to read `body` with, given its Content-Type header; never raises."""
    marked = marked_charset(body)
    if marked is not None:
        return marked
    said = _in_header(content_type)
    if body.isascii():
        return _of_ascii(body, said)
    return _of_bytes(body, said)


def marked_charset(body: bytes) -> str | None:
    """Return the codec that the first bytes tell without any doubt, None where they tell none."""
    for mark, codec in _BOMS:
        if body.startswith(mark):
            return codec
    head = body[:16]
    if b"\0" in head:
        for looks_like, codec in _WIDE:
            if looks_like.match(head):
                return codec
    return None


def decoded(body: bytes, codec: str) -> str:
    """Return the text of `body`; what cannot be decoded becomes U+FFFD, a byte order mark goes."""
    return body.decode(codec, "replace").removeprefix("\ufeff")


def _of_ascii(body: bytes, said: str | None) -> str:
    """Plain bytes read the same in all charsets but one; queries are written in the page's own."""
    if b"\x1b$" in body:
        return "iso2022_jp_ext"
    if said is None or said.startswith(("utf-16", "utf-32")):
        said = _in_page(body)
    return said or "utf-8"


def _of_bytes(body: bytes, said: str | None) -> str:
    valid = _is_utf8(body)
    # Many servers add the fallback to whatever they serve, and its readers refuse no byte.
    if valid and (said in ("utf-8", FALLBACK) or _is_surely_utf8(body)):
        return "utf-8"
    if said is not None and not said.startswith(("utf-16", "utf-32")) and _fits(body, said):
        return said
    declared = _in_page(body)
    if declared is not None and not (valid and declared == FALLBACK) and _fits(body, declared):
        return declared
    if valid or _fits(body, "utf-8"):
        return "utf-8"
    if b"\x1b$" in body and _fits(body, "iso2022_jp_ext"):
        return "iso2022_jp_ext"
    return _guess(body)


@lru_cache(maxsize=256)
def _in_header(content_type: str) -> str | None:
    """The first charset of a header that there is."""
    for label in _HEADER.findall(content_type[:1_000]):
        codec = _codec(label)
        if codec is not None:
            return codec
    return None


def _in_page(body: bytes) -> str | None:
    """The first charset that a page declares and that there is."""
    head = body[:_PRESCAN]
    found = _XML.match(head)
    if found and (codec := _codec(found[1].decode("ascii", "replace"))):
        return _unless_wide(codec)
    named = head.lower().find(b"charset")
    if named < 0:
        return None
    return _in_meta(head[: named + _DECLARATION]) or _in_meta(head)


def _in_meta(head: bytes) -> str | None:
    if b"<!--" in head:
        head = _COMMENT.sub(b" ", head)
    for meta in _META.finditer(head):
        found = _IN_META.search(meta[1])
        if found and (codec := _codec(found[1].decode("ascii", "replace"))):
            return _unless_wide(codec)
    return None


def _unless_wide(codec: str) -> str:
    """HTML Standard: bytes in which such a declaration could be read are not UTF-16."""
    return "utf-8" if codec.startswith(("utf-16", "utf-32")) else codec


@lru_cache(maxsize=256)
def _codec(label: str) -> str | None:
    label = label.strip().lower()
    if label.replace("_", "-") in ("utf-32", "utf-32le", "utf-32be"):  # of Python, not of the Web
        return "utf-32-be" if label.endswith("be") else "utf-32-le"
    encoding = webencodings.lookup(label) or webencodings.lookup(label.replace("_", "-"))
    if encoding is None or encoding.name in _REFUSED:
        return None
    return _CODECS.get(encoding.name) or encoding.codec_info.name


def _is_utf8(body: bytes) -> bool:
    """Whether it is, but for a character that was cut at the end."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        return (
            error.start >= len(body) - 3 and error.start > 0 and not body[: error.start].isascii()
        )
    return True


def _is_surely_utf8(body: bytes) -> bool:
    """Whether so much of a body is valid UTF-8 that it is no accident, whatever it is said to be.

    A character of another charset looks like one of UTF-8 about once in ten times.
    """
    return len(body) - len(body.translate(None, _LEADS)) > _ACCIDENT


def _fits(body: bytes, codec: str) -> bool:
    """Whether samples of a body can be read, but for characters that were cut at their ends."""
    wrong = seen = 0
    for sample in _samples(body):
        text = sample.decode(codec, "replace").strip("\ufffd")
        seen += len(text) - len(text.encode("ascii", "ignore"))
        wrong += text.count("\ufffd")
    return wrong <= seen * (_WRONG_UTF8 if codec == "utf-8" else _WRONG) and seen > 0


def _samples(body: bytes) -> list[bytes]:
    if len(body) <= _SAMPLE * _SAMPLES:
        return [body]
    step = len(body) // _SAMPLES
    return [body[at : at + _SAMPLE] for at in range(0, step * _SAMPLES, step)]


def _guess(body: bytes) -> str:
    """What the bytes look like, of what browsers read; needs some milliseconds."""
    if not _LONG_RUN.search(body):
        return FALLBACK
    # Here, because most crawls never need it, nor does the process that reads difficult pages.
    from charset_normalizer import from_bytes

    start = re.search(rb"[\x80-\xff]", body)
    at = max(0, (start.start() if start else 0) - 256)
    sample = body[at : at + _GUESSED]
    best = from_bytes(sample, cp_isolation=[*_CANDIDATES]).best()
    return FALLBACK if best is None else best.encoding
