"""The main text of an HTML page, by trafilatura: the one module that imports it.

It runs in a process of its own (`frontier.texts.worker`).
"""

from __future__ import annotations

from trafilatura import bare_extraction
from trafilatura.metadata import Document
from trafilatura.xml import xmltotxt

from frontier.texts.page_text import StoredText


def main_text(html: str, url: str, title: str) -> StoredText | None:
    """Return the main text, comments included, also as Markdown; None where there is none."""
    document = bare_extraction(html, url=url, output_format="markdown")
    if not isinstance(document, Document):
        return None
    parts = [part for part in (document.body, document.commentsbody) if part is not None]
    markdown, text = (
        "\n".join(filter(None, (xmltotxt(part, marked) for part in parts)))
        for marked in (True, False)
    )
    return StoredText(title, text, markdown) if text.strip() else None
