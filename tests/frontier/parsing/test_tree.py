"""The compiled walk says of any tree what lxml's own walk and nodes say of it."""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from parsel import Selector

from frontier.parsing._tree import BLOCK_END, Text, Walk

XHTML = "{http://www.w3.org/1999/xhtml}"
KINDS = {"a": "a", XHTML + "a": "a", "title": "title", XHTML + "i": "inline"}
KINDS |= {"i": "inline", "b": "inline", "script": "hidden", "noscript": "links", "img": "img"}
KINDS |= {"time": "time", "pre": "lines"}
NAMES = ("href", "title", "xlink:href")
SKIPPED = ("title", "links")
BEFORE = {None: BLOCK_END, "lines": BLOCK_END, "inline": "", "time": ""}
"""What the text has before an element; of those that are not named a space."""

Told = list[tuple[object, ...]]


def plain(root: Any, most: int) -> tuple[Told, str, bool]:
    """What is told at each stop, the text, and whether the walk was cut off, by lxml's objects."""
    pieces: list[str] = []
    told: Told = []
    walker = etree.iterwalk(root, events=("start", "end", "comment", "pi"))
    for event, node in islice(walker, most):
        kind = KINDS.get(node.tag)
        text = node.text if event == "start" else node.tail if node is not root else None
        within_lines = [*node.iterancestors("pre"), *([node] if event == "start" else [])]
        if text and any(one.tag == "pre" for one in within_lines if is_below(one, root)):
            text = text.replace("\n", BLOCK_END)
        if event == "start":
            pieces.append(BEFORE.get(kind, " "))
            if kind not in (None, "inline", "hidden", "lines"):
                within = kind == "a" and (node.get("href") or "").startswith("#")
                told.append(("" if within else kind, len("".join(pieces)), *described(node)))
            if kind in ("hidden", *SKIPPED):
                walker.skip_subtree()
                continue
        elif event == "end" and kind == "a":
            told.append((None, len("".join(pieces))))
            pieces.append(" ")
        elif event == "end" and kind in (None, "lines"):
            pieces.append(BLOCK_END)
        pieces += [text] if text else []
    return told, "".join(pieces), next(walker, None) is not None


def is_below(node: Any, root: Any) -> bool:
    return node is root or root in node.iterancestors()


def described(node: Any) -> tuple[object, ...]:
    parent = node.getparent()
    return (
        [node.get(name) for name in NAMES],
        node.text or "",
        "" if parent is None else parent.tag.rpartition("}")[2],
        not len(node),
        "".join(node.itertext()),
        [(one.get("href"), one.text or "") for one in node.iter("{*}a", "{*}i") if one is not node],
    )


def compiled(root: Any, most: int) -> tuple[Told, str, bool]:
    text = Text()
    told: Told = []
    walk = Walk(root, text, KINDS, "a", most)
    for kind in walk:
        if kind is None:
            told.append((None, text.length))
            continue
        said = [walk.get(name) for name in NAMES], walk.leading, walk.parent, walk.is_leaf
        told.append((kind, text.length, *said, walk.all_text(), inner(walk)))
        if kind in SKIPPED:
            walk.skip()
    assert text.length == len(str(text))
    assert text.blocks == str(text).count(BLOCK_END)
    return told, str(text), walk.stopped


def inner(walk: Walk) -> list[tuple[str | None, str]]:
    return [(walk.get("href"), walk.leading) for _ in walk.within("a", "i")]


TAGS = (
    *("a", "i", "b", "p", "script", "title", "noscript", "img", "svg:a", "x\u00e9", "head"),
    *("pre", "time"),
)
OPENING = st.sampled_from(TAGS).flatmap(
    lambda tag: st.sampled_from(
        [
            *(f"<{tag}>", f"</{tag}>", f"<{tag}/>", f"<{tag} href='/x' title=\u00e4&amp;>"),
            *(f"<{tag} href='#x'>", f"<{tag} xlink:href=/y href='&#35;'>"),
            *(f"<{tag} xlink:href=1 href>", f'<{tag} \u00e9"=2 href=a href=b>'),
        ]
    )
)
TEXT = st.sampled_from(("x", " \n", "\u00e9\u4e2d", "\U0001f600", "&lt;&#1;", "a<b", "&nbsp;"))
OTHER = st.sampled_from(("<!-- c -->", "<?pi x?>", "<![CDATA[y]]>", "<!DOCTYPE html>", "</html>"))
MARKUP = st.lists(st.one_of(OPENING, TEXT, OTHER), max_size=60).map("".join)


@given(MARKUP, st.integers(0, 40) | st.just(10_000))
def test_walk_over_a_page_is_that_of_lxml(markup: str, most: int) -> None:
    root = Selector(text=markup or " ").root
    assert compiled(root, most) == plain(root, most)


@pytest.mark.parametrize("most", [3, 7, 100])
@pytest.mark.parametrize("parser", [etree.XMLParser(strip_cdata=False), etree.XMLParser()])
def test_walk_over_xml_is_that_of_lxml(parser: Any, most: int) -> None:
    document = etree.fromstring(
        f"<r xmlns:h='{XHTML[1:-1]}' xmlns:o='u:o'>t<?pi x?>u<!--c-->v<![CDATA[<w>]]>x"
        "<h:a href='1' h:href='2'>l<h:i>m</h:i>n</h:a><o:a href='3'>o</o:a><o:i>p</o:i>"
        "<noscript>q<h:a href='4'>r</h:a><o:a/></noscript>s\n"
        "<pre>t\n\n<time>u\nv</time>w<pre>\n</pre><script>x</script>\n</pre>y\nz</r>",
        parser,
    )
    for root in (document, *document.iter(XHTML + "a", "noscript", "time")):
        assert compiled(root, most) == plain(root, most)


def test_tree_put_together_by_hand_is_read_as_well() -> None:
    root = etree.Element("a", href="/x")
    root.text = "one"
    etree.SubElement(root, "script").tail = "two"
    etree.SubElement(root, "b").tail = "three"
    etree.strip_elements(root, "b", with_tail=False)  # leaves two texts side by side
    assert compiled(root, 100) == plain(root, 100)


def test_a_long_text_and_many_names_are_read() -> None:
    markup = "".join(f"<n{i}>\u00e9{'y' * i}</n{i}>" for i in range(1_000))
    root = Selector(text=markup).root
    assert compiled(root, 100_000) == plain(root, 100_000)


@pytest.mark.parametrize("other", [None, "text", etree.Comment("c")])
def test_what_is_no_element_is_refused(other: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        Walk(other, Text(), KINDS, "a", 1)
