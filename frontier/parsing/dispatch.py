"""From markup to content: which way a page is read, so that neither depth nor width stops it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lxml import etree

from frontier.parsing.charset import decoded
from frontier.parsing.content import NOTHING
from frontier.parsing.feed import feed_as_page, is_feed
from frontier.parsing.html import read_page
from frontier.parsing.sanitize import tamed

if TYPE_CHECKING:
    from frontier.parsing.content import PageContent

__all__ = ["read_markup", "stopped_early"]

_DEEPEST = 2_000
"""Elements within each other; libxml2 stops at 2,048 and reads nothing of what follows."""


def read_markup(body: bytes, charset: str, url: str, max_links: int) -> PageContent:
    """Read a page of any size, depth and width, in time and memory that its bounds allow."""
    text, all_told = decoded(body, charset).replace("\0", ""), True
    if is_feed(text):
        text, all_told = feed_as_page(text, url)
    markup, whole = tamed(text)
    whole = whole and all_told
    root = parsed(markup)
    if root is None:
        return NOTHING if whole else replace(NOTHING, truncated=True)
    content = read_page(root, url, max_links, charset)
    return content if whole else replace(content, truncated=True)


def stopped_early(root: Any) -> bool:
    """Whether the parser of a tree gave up because the page is deeper than it can read."""
    node, depth = root, 0
    while depth < _DEEPEST and len(node):
        node, depth = node[-1], depth + 1
    return depth >= _DEEPEST


def parsed(markup: str) -> Any:
    """Root of markup, None where there is none."""
    # As bytes: of a string lxml refuses a declaration of its encoding.
    parser = etree.HTMLParser(recover=True, encoding="utf-8", huge_tree=True)
    try:
        return etree.fromstring(markup.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:  # nothing in it but what is skipped
        return None
