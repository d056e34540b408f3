"""Text and links of a PDF, by pypdf: the one module that imports it.

It runs in a process of its own (`frontier.texts.worker`), which is ended where it takes too long.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from pypdf import PdfReader

from frontier.parsing.content import MAX_TEXT, Link, PageContent, plain_page
from frontier.urls.resolve import Resolver

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES: Final = 200
"""Pages that are read at most."""
SECONDS: Final = 5.0
"""Seconds after which no further page is read."""


def pdf_content(body: bytes, url: str, max_links: int) -> PageContent:
    """Return title, text and links of a PDF, as far as it can be read within the bounds."""
    pdf = PdfReader(BytesIO(body))
    texts: list[str] = []
    links: dict[str, Link] = {}
    until, resolve, cut = time.monotonic() + SECONDS, Resolver(url, None, "utf-8"), False
    for number, page in enumerate(pdf.pages):
        cut = number >= PAGES or time.monotonic() > until or sum(map(len, texts)) > MAX_TEXT
        if cut:
            break
        with suppress(Exception):  # a page that is broken: the others are read
            texts.append(page.extract_text())
            for address in _addresses(page):
                target = resolve(address.partition("#")[0])
                if target is not None and target != url and len(links) < max_links:
                    links.setdefault(target, Link(target, "", "", nofollow=False))
    content = plain_page("\n".join(texts), blocks=True)
    title = ""
    with suppress(Exception):
        title = str((pdf.metadata and pdf.metadata.title) or "").strip()[:500]
    return replace(
        content, title=title, links=list(links.values()), truncated=cut or content.truncated
    )


def _addresses(page: Any) -> Iterator[str]:
    for annotation in page.get("/Annots") or ():
        action = annotation.get_object().get("/A")
        address = None if action is None else action.get_object().get("/URI")
        if isinstance(address, str):
            yield str(address)  # of pypdf's own kind
        elif isinstance(address, bytes):
            yield address.decode("latin-1")
