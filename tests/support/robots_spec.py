"""Reads Google's expectations on parsers of robots.txt, which are texts of protocol buffers."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PART = re.compile(
    r'(?P<field>\w+):\s*(?P<value>(?:"(?:[^"\\\n]|\\.)*"(?:\s|#[^\n]*\n)*)+|\w+)|(?P<other>#[^\n]*)'
)
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


@dataclass(frozen=True)
class Expectation:
    """Whether `agent` may fetch `url` where the file is `body`."""

    source: str
    body: bytes
    url: str
    agent: str
    allowed: bool


def expectations(folder: Path) -> Iterator[Expectation]:
    """All of a folder's, in the order of files and lines."""
    for path in sorted(folder.glob("*.textproto")):
        yield from _of_file(path.name, path.read_text(encoding="utf-8"))


def _of_file(name: str, text: str) -> Iterator[Expectation]:
    said: dict[str, bytes] = {}
    for part in _PART.finditer(text):
        field, value = part["field"], part["value"]
        if field == "expected_outcome":
            url, agent = said["testurl"].decode(), said["useragent"].decode()
            yield Expectation(name, said["robotstxt"], url, agent, value == "ALLOWED")
        elif field:
            said[field] = b"".join(_unescaped(one) for one in _STRING.findall(value))


def _unescaped(text: str) -> bytes:
    return codecs.escape_decode(text.encode())[0]  # type: ignore[attr-defined, no-any-return]
