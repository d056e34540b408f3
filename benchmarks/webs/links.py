"""Links in pages, found and changed where they stand: all other bytes of a page stay."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape, unescape
from typing import Final
from urllib.parse import urldefrag, urljoin

from frontier.urls.canonical import normal_url

_HREF: Final = re.compile(
    rb"""(<a\b[^>]*?)\shref\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE | re.DOTALL
)
_BASE: Final = re.compile(rb"""<base\b[^>]*?\shref\s*=\s*["']([^"']*)["']""", re.IGNORECASE)


def targets(url: str, body: bytes) -> Iterator[str]:
    """Where the links of a page lead, in their order, without fragments, as `normal_url` spells."""
    base = _base(url, body)
    for match in _HREF.finditer(body):
        yield _target(base, match)


def rewritten(url: str, body: bytes, change: Callable[[str], str | None]) -> bytes:
    """A page with other links: `change` is asked about each target.

    None leaves the link as it is written, "" its words without an address.
    """
    base = _base(url, body)

    def changed(match: re.Match[bytes]) -> bytes:
        other = change(_target(base, match))
        if other is None:
            return match[0]
        return match[1] + f' href="{escape(other)}"'.encode() if other else match[1]

    return _HREF.sub(changed, body)


def join_url(base: str, address: str) -> str:
    """Where a link leads; ``base`` itself when it cannot be parsed."""
    try:
        return urljoin(base, address)
    except ValueError:
        return base


def _base(url: str, body: bytes) -> str:
    found = _BASE.search(body)
    return join_url(url, _text(found[1])) if found else url


def _target(base: str, match: re.Match[bytes]) -> str:
    written = match[2] if match[2] is not None else match[3]
    return normal_url(urldefrag(join_url(base, _text(written).strip())).url)


def _text(written: bytes) -> str:
    return unescape(written.decode("utf-8", "replace"))
