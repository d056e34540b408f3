"""Markup reduced to what a page's reader looks at, in linear time, before a parser sees it.

libxml2 stops at 2,048 elements within each other and compares every attribute of a tag with all
others, so one tag with 200,000 attributes costs it a minute. What is left here has neither: only
elements that lead somewhere or declare something, with the attributes that are read; all others
become the space they put between words, or nothing within a word. So the text, the links, and what
stands around them are those of the whole page.

Tags, comments, and the ends of scripts are told apart as the HTML Standard's tokenizer does it.
"""

from __future__ import annotations

import re
from functools import lru_cache

from frontier.parsing.html import INLINE

__all__ = ["is_tame", "stalls_parser", "tamed"]

_SMALL = 32_768
"""Bytes of a page in which no tag is long enough to matter: 0.1 s at the worst."""
_BLOCK = 8_192
"""Bytes; a tag twice as long covers a whole block and leaves no ">" in it."""
_MEDIUM = 131_072
"""Bytes of a page in which no tag that hides its length matters: 1 s at the worst."""
_MOST_QUOTED = 500
"""Quoted ">" of a page, each of which hides that a tag goes on."""
_LONG_TAG = re.compile(rb"<[a-zA-Z][^<>]{6000,}")
_MOST_ATTRIBUTES = 1_000
_SPACE = re.compile(rb"[\s=]+")
_STALLING = 10_000
"""Attributes of a tag that cost a parser 0.3 s; ten times as many cost a hundred times that."""

_MOST_WORK = 300_000
"""Tags that are looked at, of which one that is kept counts for four: some 6 MB of ordinary
markup, 0.7 s, and 50 MB as a tree."""
_OF_KEPT = 4
_NAMED = "a|area|base|body|frame|iframe|img|link|meta|noembed|noscript|script|style|template"
_NAMED += "|textarea|title|xmp"
_DULL = (
    (re.compile(r"<+(?![a-zA-Z/!?])"), " "),
    (re.compile(rf"</?(?:{'|'.join(INLINE)})(?:\s[^<>]*)?>", re.IGNORECASE), ""),
    (re.compile(rf"</?(?!(?:{_NAMED})[\s/>])[a-z][a-z0-9]*(?:\s[^<>]*)?>", re.IGNORECASE), " "),
    (re.compile(r"<[!?](?!-)[^<>]*>"), ""),
)
"""Tags that say nothing but where a word ends, and what is none; with what takes their place."""

# Nothing that stands behind a repetition can fail, so nothing is tried twice.
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)((?:[^>=]+|==+|=\s*(?:\"[^\"]*\"|'[^']*')?)*)(>?)")
_ATTRIBUTE = re.compile(r"([^\s=>/][^\s=>/]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+)))?")
_READ = frozenset(
    ("href", "src", "rel", "alt", "title", "name", "content", "http-equiv", "xlink:href")
)
_KEPT = frozenset(
    ("a", "area", "frame", "iframe", "img", "base", "meta", "link", "title", "noscript")
)
_IN_HEAD = frozenset(
    (
        *("html", "head", "title", "meta", "link", "base"),
        *("script", "style", "noscript", "template"),
    )
)
_SKIPPED = frozenset(("script", "style", "template", "noembed", "xmp"))
_OF_TEXT = frozenset(("title", "textarea", "iframe"))


def is_tame(body: bytes) -> bool:
    """Whether a parser gets through a page of some 100 KB in no time; needs 0.01 ms."""
    if len(body) < _SMALL:
        return True
    if len(body) > _MEDIUM and body.count(b'=">') + body.count(b"='>") > _MOST_QUOTED:
        return False
    starts = range(0, len(body) - _BLOCK + 1, _BLOCK)
    if all(body.find(b">", at, at + _BLOCK) >= 0 for at in starts):
        return True
    return all(len(_SPACE.findall(tag[0])) < _MOST_ATTRIBUTES for tag in _LONG_TAG.finditer(body))


def stalls_parser(text: str) -> bool:
    """Whether a tag really has so many attributes, and not a long text in one of them."""
    long = (tag[3] for tag in _TAG.finditer(text) if len(tag[3]) > _STALLING)
    return any(sum(1 for _ in _ATTRIBUTE.finditer(said)) > _STALLING for said in long)


def tamed(text: str) -> tuple[str, bool]:
    """Return markup that says the same and is harmless, and whether all of the page is in it.

    In time linear to its length.
    """
    kept: list[str] = []
    at, in_body, left, shortened = 0, False, _MOST_WORK, False
    while left > 0:
        left -= 1
        if left < _MOST_WORK // 2 and not shortened:
            text, at, shortened = _shortened(text[at:]), 0, True
        start = text.find("<", at)
        kept.append(text[at : start if start >= 0 else None])
        if start < 0:
            return "".join(kept), True
        tag = _TAG.match(text, start)
        if tag is None:
            at = _behind_comment(text, start)
            if at < 0:
                return "".join(kept), True
            kept.append("&lt;" if at == start + 1 else "")
            continue
        if not tag[4]:  # the page ends within it
            return "".join(kept), True
        at, name = tag.end(), tag[2].lower()
        if name in _KEPT and not tag[1]:
            left -= _OF_KEPT - 1
        if not in_body and name not in _IN_HEAD:
            in_body = True
            kept.append("<body>")
        kept.append(_said(tag, name))
        if not tag[1] and (name in _SKIPPED or name in _OF_TEXT):
            end = _end_of(name).search(text, at)
            if name in _OF_TEXT and name != "iframe":
                kept.append(text[at : end.start() if end else None].replace("<", "&lt;"))
            if end is None:
                return "".join(kept), True
            at = end.start()
    return "".join(kept), at >= len(text)


def _shortened(text: str) -> str:
    """Take out what is dull, in one go: of a long page nothing else may be left."""
    for dull, instead in _DULL:
        text = dull.sub(instead, text)
    return text


def _behind_comment(text: str, start: int) -> int:
    """Where a comment ends, -1 where it never does; one further if it is only a "<"."""
    if text.startswith("<!--", start):
        if text.startswith((">", "->"), start + 4):
            return text.index(">", start) + 1
        end = text.find("-->", start + 4)
        return end + 3 if end >= 0 else end
    if text.startswith(("<!", "<?", "</"), start):
        end = text.find(">", start)
        return end + 1 if end >= 0 else end
    return start + 1


def _said(tag: re.Match[str], name: str) -> str:
    """What is left of a tag."""
    if name not in _KEPT:
        return "" if name in INLINE else " "
    if tag[1]:
        return f"</{name}>"
    said: dict[str, str] = {}
    for found in _ATTRIBUTE.finditer(tag[3]):
        attribute = found[1].lower()
        if attribute in _READ and attribute not in said:
            value = found[2] or found[3] or found[4] or ""
            said[attribute] = value.replace('"', "&quot;")
    return "".join([f"<{name}", *(f' {name}="{value}"' for name, value in said.items()), ">"])


@lru_cache(maxsize=16)
def _end_of(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE)
