"""A recorded web spelled out page by page: text and links of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from frontier.lab.replay.webfile import AnswerKind, Parsed, WebFile, WebWriter
from frontier.parsing.html import Link, PageContent

Pages = Mapping[str, tuple[str, Sequence[str]]]


def small_web(pages: Pages, redirects: Mapping[str, str] | None = None) -> WebFile:
    """Pages by URL with text and links; `redirects` by URL; what is only linked is unknown."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "small.labweb")
        with path.open("wb") as file:
            writer = WebWriter(file)
            for url, (text, links) in pages.items():
                found = [Link(one, "", "", nofollow=False) for one in links]
                writer.add(url, Parsed(AnswerKind.PAGE, 200, PageContent("", text, found)))
            for url, target in (redirects or {}).items():
                writer.add(url, Parsed(AnswerKind.REDIRECT, 301, location=target))
            writer.finish(lambda _: None, {})
        return WebFile(path, "small")
