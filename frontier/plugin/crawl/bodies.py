"""Type and charset of a response whose headers or markup name impossible ones.

An unknown content coding (`none`, `utf-8`) hides the type of a response from Scrapy. A charset may
be the name of a Python codec that does not decode text (`base64`, `idna`), or decodes Python's own
escapes (`unicode_escape`). Both are ignored, as in browsers.
"""

from __future__ import annotations

import codecs
from functools import lru_cache

from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse
from scrapy.responsetypes import responsetypes
from scrapy.utils.python import binary_is_text
from w3lib.encoding import html_body_declared_encoding

_NO_CHARSETS = frozenset(
    ("charmap", "idna", "punycode", "raw_unicode_escape", "undefined", "unicode_escape")
)
"""Codecs from bytes to text that are no charset of a document."""
BEGINNING = 5_000
"""Bytes by which text is known, as Scrapy has it."""


def readable(response: Response) -> Response:
    """Return a response as its type and its bytes have it; the same one where nothing is odd."""
    if "Content-Encoding" in response.headers:
        response = _of_its_type(response)
    if isinstance(response, TextResponse) and not _may_be_in(response.encoding, response.body):
        return response.replace(encoding=_charset_of(response.body))
    return response


def _may_be_in(charset: str, body: bytes) -> bool:
    """Whether a document may be written in a charset: in UTF-16 and UTF-32, markup has noughts."""
    wide = charset.lower().startswith(("utf-16", "utf-32", "utf16", "utf32"))
    return is_charset(charset) and not (wide and b"\0" not in body[:BEGINNING])


@lru_cache(maxsize=256)
def is_charset(name: str) -> bool:
    """Whether documents can be written in a codec of Python's."""
    try:
        b"a".decode(name, "replace")
    except LookupError:  # of what is no text, or unknown
        return False
    except UnicodeError:  # `undefined`, and others that one byte says nothing to
        pass
    return codecs.lookup(name).name.replace("-", "_") not in _NO_CHARSETS


def _of_its_type(response: Response) -> Response:
    """Return the response without its content codings, where its bytes are text."""
    if isinstance(response, (HtmlResponse, XmlResponse)):
        return response
    if not binary_is_text(response.body[:BEGINNING]):
        return response
    headers = response.headers.copy()
    del headers["Content-Encoding"]
    kind = responsetypes.from_args(headers=headers, url=response.url, body=response.body)
    if not issubclass(kind, TextResponse):
        return response
    return response.replace(cls=kind, encoding=None)


def _charset_of(body: bytes) -> str:
    """Return the charset of a document that declares an impossible one."""
    declared = html_body_declared_encoding(body)
    if declared is not None and _may_be_in(declared, body):
        return declared
    try:
        body.decode()
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"
