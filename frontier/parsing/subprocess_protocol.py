"""What a crawl and its helper say to each other: a length, then JSON, then the body."""

from __future__ import annotations

import json
import struct
from dataclasses import astuple
from typing import BinaryIO, Final

from frontier.parsing.content import Link, PageContent

__all__ = ["LENGTH", "answer", "content", "question", "read_question"]

LENGTH: Final = struct.Struct(">Q")
_PAIR = struct.Struct(">QQ")


def question(body: bytes, charset: str, url: str, max_links: int) -> bytes:
    """Ask for the content of a page."""
    said = json.dumps([charset, url, max_links]).encode()
    return _PAIR.pack(len(said), len(body)) + said + body


def read_question(stream: BinaryIO) -> tuple[bytes, str, str, int] | None:
    """Body, charset, URL and most links of the next page, None where there is none."""
    head = stream.read(_PAIR.size)
    if len(head) < _PAIR.size:
        return None
    size, length = _PAIR.unpack(head)
    charset, url, max_links = json.loads(stream.read(size))
    return stream.read(length), charset, url, max_links


def answer(found: PageContent | None) -> bytes:
    """Say what a page holds; None says that the helper is ready."""
    said = b"" if found is None else json.dumps(astuple(found)).encode()
    return LENGTH.pack(len(said)) + said


def content(said: bytes) -> PageContent:
    """What a page holds."""
    title, text, links, robots, canonical, refresh, truncated = json.loads(said)
    return PageContent(
        title,
        text,
        [Link(*one) for one in links],
        tuple((name, rules) for name, rules in robots),
        canonical,
        None if refresh is None else (refresh[0], refresh[1]),
        truncated,
    )
