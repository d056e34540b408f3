"""Files of site generators: front matter in YAML, text in Markdown or HTML, tags of templates.

Of the tags of Hugo, Jekyll and Eleventy only those are resolved that make links or hold a text of
their own; others are dropped, and so is what stands in a loop, for which the data would be needed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import yaml  # type: ignore[import-untyped]  # its types are a package of their own
from markdown_it import MarkdownIt

_MATTER: Final = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?\n)?---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_PARAMETER: Final = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_QUOTED: Final = re.compile(r"""["']([^"']*)["']""")
_HUGO: Final = re.compile(r"\{\{[<%]\s*(/?)\s*([\w-]+)(.*?)/?\s*[>%]\}\}", re.DOTALL)
_ADDRESS: Final = re.compile(
    r"""\{\{-?\s*["']([^"'}]*)["']\s*\|\s*(?:url|relative_url|absolute_url)\s*-?\}\}"""
)
_LINK: Final = re.compile(r"\{%-?\s*link\s+(\S+)\s*-?%\}")
_WHOLE: Final = re.compile(r"\{%-?\s*(for|comment|capture)\b.*?\{%-?\s*end\1\s*-?%\}", re.DOTALL)
_CODE: Final = re.compile(
    r"\{%-?\s*(?:raw|highlight\s*\w*[^%]*)-?%\}(.*?)\{%-?\s*end(?:raw|highlight)\s*-?%\}", re.DOTALL
)
_TAG: Final = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{:[^}\n]*\}|\{#[\w-]+\}", re.DOTALL)

Find = Callable[[str], str]
"""What a site's files are named by -> the address of the page that is made of it, or ""."""


@dataclass(frozen=True)
class Document:
    """A file: its path, its front matter with all scalars as text, and what follows."""

    path: str
    matter: Mapping[str, Any]
    text: str

    def said(self, *names: str) -> str:
        """The first of these fields that says something, in one line."""
        values = (self.matter.get(name) for name in names)
        return next((" ".join(one.split()) for one in values if isinstance(one, str) and one), "")

    def listed(self, name: str) -> list[str]:
        """A field that holds one text or several."""
        value = self.matter.get(name)
        values = value if isinstance(value, list) else [value]
        return [one.strip() for one in values if isinstance(one, str) and one.strip()]


def parse(path: str, text: str) -> Document | None:
    """Read a file; None where its front matter is no mapping in YAML."""
    match = _MATTER.match(text)
    if match is None:
        return Document(path, {}, text)
    try:
        # Scalars stay as they are written: of a date only the day is wanted, and "no" is a word.
        matter = yaml.load(match[1] or "", yaml.BaseLoader) or {}  # builds only text
    except yaml.YAMLError:
        return None
    return Document(path, matter, text[match.end() :]) if isinstance(matter, dict) else None


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def html_of(text: str) -> str:
    """Markdown as HTML."""
    return str(_markdown().render(text))


def without_hugo(text: str, find: Find) -> str:
    """Hugo's shortcodes resolved."""

    def shown(match: re.Match[str]) -> str:
        closing, name, rest = match.groups()
        return "" if closing else _shortcode(name, rest, find)

    return _HUGO.sub(shown, text)


def _shortcode(name: str, rest: str, find: Find) -> str:
    given = {key: double or single for key, double, single in _PARAMETER.findall(rest)}
    if name in ("ref", "relref", "link"):
        place = (_QUOTED.findall(rest) or [""])[0]
        return find(place) or (place if name == "link" else "")
    if name == "button":
        return f"[{given.get('text', '')}]({given.get('href', '')})"
    if name == "featured-resource":
        to = given.get("link", "")
        return f"[{given.get('title') or given.get('kicker', '')}]({find(to) or to})"
    if name == "quote-block":
        return f"\n> {given.get('text', '')} ({given.get('cite', '')})\n"
    return f"\n\n**{given['title']}**\n\n" if "title" in given else ""


def without_liquid(text: str, find: Find) -> str:
    """Tags of Liquid and Nunjucks resolved."""
    text = _LINK.sub(lambda match: find(match[1]), _ADDRESS.sub(r"\1", text))
    text = _CODE.sub(lambda match: "\n\n```\n" + _plain(match[1]).strip() + "\n```\n\n", text)
    return _TAG.sub("", _WHOLE.sub("", text))


def _plain(code: str) -> str:
    """Code as it is shown: what looks like a tag in it is none."""
    return code.replace("{{", "{ {").replace("{%", "{ %")
