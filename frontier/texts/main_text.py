"""The main text of an HTML page, by trafilatura: the one module that imports it.

It runs in a process of its own (`frontier.texts.worker`).

Trafilatura looks for one text in a page, and finds a small part of lists, catalogues, threads and
pages of many sections. Where it has less than a third of what stands outside of menus, headers,
footers and forms, all of that is the main text.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from lxml.etree import XPath
from trafilatura import bare_extraction
from trafilatura.metadata import Document
from trafilatura.xml import xmltotxt

from frontier.parsing.html import parsed, read_page
from frontier.texts.page_text import StoredText

ENOUGH: Final = 1 / 3
"""Share of the letters outside of menus and the like that trafilatura finds at least."""
_ROLES: Final = "navigation", "banner", "contentinfo", "search", "dialog", "complementary"
_BESIDE: Final = XPath(
    "//nav|//header[not(ancestor::article or ancestor::main)]|//footer[not(ancestor::article)]"
    "|//aside|//form|//button|//select|//iframe|//noscript|//*[@aria-hidden='true']|//*[@hidden]"
    f"|//*[{' or '.join(f'@role={role!r}' for role in _ROLES)}]"
)


class MainText(NamedTuple):
    """The main text of a page, and the blocks of all its visible text."""

    text: StoredText
    visible: tuple[str, ...]


def main_text(html: str, url: str, title: str) -> MainText | None:
    """Return the main text, comments included, also as Markdown; None where there is none."""
    text, markdown = found_by_trafilatura(html, url)
    root = parsed(html)
    visible = read_page(root, url, blocks=True).blocks
    blocks = () if root is None else blocks_outside(root, url)
    if len(text) < ENOUGH * sum(map(len, blocks)):
        text, markdown = "\n".join(blocks), "\n\n".join(blocks)
    return MainText(StoredText(title, text, markdown), visible) if text.strip() else None


def found_by_trafilatura(html: str, url: str) -> tuple[str, str]:
    """Return text and Markdown; "" where nothing is found."""
    document = bare_extraction(html, url=url, output_format="markdown")
    if not isinstance(document, Document):
        return "", ""
    parts = [part for part in (document.body, document.commentsbody) if part is not None]
    markdown, text = (
        "\n".join(filter(None, (xmltotxt(part, marked) for part in parts)))
        for marked in (True, False)
    )
    return text, markdown


def blocks_outside(root: Any, url: str) -> tuple[str, ...]:
    """Return the blocks of a page outside of menus, headers, footers, forms and what is hidden.

    The tree is emptied of these.
    """
    for element in _BESIDE(root):
        for child in element:
            element.remove(child)
        element.text = None
    return read_page(root, url, blocks=True).blocks
