"""The page of a crawl, put together: one HTML document with all its scripts and styles inside.

The same files serve a running crawl (`scrapy frontier watch`, where the page asks the server), a
report in one file, which opens anywhere without one, and the lab. Nothing is built: the folder
`page` holds what a browser reads, uPlot 1.6.32 (MIT) among it.

Pages of the crawl choose titles, texts and URLs. They come as JSON in a block that no browser runs,
and no character in it can end that block; the scripts put them into the document as text alone. By
the Content-Security-Policy only that runs whose hash it names, and with Trusted Types no script can
turn a text into markup.
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
"""What could end or begin markup in a JSON text, or a line of a script, as JSON escapes it."""


def page_html(
    documents: Sequence[dict[str, Any]] | None,
    live: bool,  # noqa: FBT001  # a fact about the page, as its title
    title: str,
    crawls: int = 1,
) -> tuple[str, str]:
    """The page of crawls, and the value of the header Content-Security-Policy for it.

    Args:
        documents: of a report, pictures with what else there is of each crawl: `map`, `urls` (of a
            URL what is known of it) and `hosts`. None where the page asks the server.
        live: whether it may ask the server it comes from, and nobody else.
        title: of the document.
        crawls: how many there are to ask for; one for each of the documents in a report.

    """
    data = {"live": live, "crawls": len(documents or ()) or crawls, "documents": documents}
    return put_together(data, title, "watch.js", live=live)


def put_together(data: Any, title: str, script: str, *, live: bool = False) -> tuple[str, str]:
    """A document of the page's kit that shows `data` by one of its scripts, and its policy.

    The policy stands in a file's head as well; there `frame-ancestors` would be left out with a
    warning.
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
    text = text.encode(errors="backslashreplace").decode()  # halves of characters, as JSON has them
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
