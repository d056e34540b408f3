"""The page of a crawl: one HTML document with all its scripts and styles.

The same files serve a running crawl (`scrapy frontier watch`, where the page requests data from the
server), a report in one file, which needs no server, and the lab. Nothing is built: the folder
`page` holds the files for the browser, with uPlot 1.6.32 (MIT).

Titles, texts and URLs come from pages of the crawl and are not trusted. They are JSON in a block
that no browser runs, and no character in it can end that block; the scripts insert them as text
only. The Content-Security-Policy allows only scripts whose hash it names, and Trusted Types keep
scripts from turning text into markup.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_suffix("")
STYLES = ("uplot.css", "style.css")
ESCAPED = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}
"""Characters that could begin or end markup or a line of a script -> their JSON escapes."""


def page_html(
    documents: Sequence[dict[str, Any]] | None,
    live: bool,  # noqa: FBT001  # a property of the page
    title: str,
    crawls: int = 1,
) -> tuple[str, str]:
    """The page of crawls, and the value of the header Content-Security-Policy for it.

    Args:
        documents: of a report, the picture of each crawl with `map` and `urls` (URL -> its
            explanation). None if the page requests them from the server.
        live: whether the page may send requests to its server.
        title: title of the document.
        crawls: number of crawls; in a report that of the documents.

    """
    data = {"live": live, "crawls": len(documents or ()) or crawls, "documents": documents}
    return put_together(data, title, "watch.js", live=live)


def put_together(data: Any, title: str, script: str, *, live: bool = False) -> tuple[str, str]:
    """A document that shows `data` by a script of the folder `page`, and its policy.

    The policy is in the head of the document, too, without `frame-ancestors`, which browsers ignore
    there with a warning.
    """
    scripts = [_file(name) for name in ("uplot.js", "kit.js", script)]
    styles = [_file(name) for name in STYLES]
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hashes(scripts)}",
            f"style-src {_hashes(styles)}",
            "img-src data:",
            *(["connect-src 'self'"] if live else []),
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ]
    )
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.encode(errors="backslashreplace").decode()  # lone surrogates become JSON escapes
    parts = {
        "title": escape(title),
        "policy": escape(policy, quote=True),
        "styles": "\n".join(f"<style>{style}</style>" for style in styles),
        "data": text.translate(ESCAPED),
        "scripts": "\n".join(f"<script>{code}</script>" for code in scripts),
    }
    html = _file("index.html")
    before, *rest = html.split("{{")
    filled = [before]
    for piece in rest:
        name, _, after = piece.partition("}}")
        filled += [parts[name], after]
    return "".join(filled), f"{policy}; frame-ancestors 'none'"


@cache
def _file(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _hashes(texts: Sequence[str]) -> str:
    digests = (sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{b64encode(digest).decode()}'" for digest in digests)
