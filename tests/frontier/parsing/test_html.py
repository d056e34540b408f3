"""The reader of pages: title and text."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import lxml.html
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import etree
from parsel import Selector

from frontier.parsing.content import collapse, plain_page
from frontier.parsing.html import PageContent, read_page

PAGE = "http://site.example/docs/page.html"


def read(markup: str, base_url: str = PAGE, **options: int) -> PageContent:
    return read_page(Selector(text=markup).root, base_url, **options)


def urls(markup: str, base_url: str = PAGE, **options: int) -> list[str]:
    return [link.url for link in read(markup, base_url, **options).links]


def test_title_and_text_are_collapsed_and_apart() -> None:
    page = read("<head><title> A\n title </title></head><body><p>One\t two</p>\n three")
    assert page == PageContent("A title", "One two three", [])


def test_what_a_reader_does_not_see_is_not_text() -> None:
    markup = """<p>seen</p><script>var a = "<a href='/js'>js</a>";</script><style>p {}</style>
        <noscript>no</noscript><template><a href=/t>t</a></template>
        <!-- comment --><?php echo 1 ?><p>also seen"""
    page = read(markup)
    assert page.text == "seen also seen"
    assert page.links == []


def test_of_what_is_for_readers_without_scripts_links_alone_are_read() -> None:
    markup = """<p>seen</p><noscript>Scripts! <a href=/x>more</a><iframe src=/counter></iframe>
        <img src=/counter><meta name=robots content=none></noscript><p>also seen"""
    page = read(markup)
    assert page.text == "seen also seen"
    assert [(link.url, link.anchor) for link in page.links] == [("http://site.example/x", "more")]
    assert page.robots == ()


def test_text_after_a_hidden_element_a_comment_or_an_instruction_is_kept() -> None:
    assert read("<p>a<script>x</script> b<!-- x --> c<?x y?> d</p>").text == "a b c d"


def test_blocks_end_a_word_and_inline_elements_do_not() -> None:
    markup = "<ul><li>one</li><li>t<b>w</b>o</li></ul>a<br>b <a href=/1>x</a><a href=/2>y</a>"
    assert read(markup).text == "one two a b x y"


def test_title_of_a_drawing_does_not_replace_the_title_of_the_page() -> None:
    assert read("<title>page</title><svg><title>icon</title></svg>").title == "page"


def test_the_first_heading_with_a_text_is_the_pages() -> None:
    page = read(
        "x<h1> <img alt=logo> </h1>y<h1>The <b>la</b>va\nlamp</h1>z<h1>other</h1>", blocks=True
    )
    assert page.heading == "The lava lamp"
    assert page.text == "x y The lava lamp z other"
    assert page.blocks == ("x", "y", "The lava lamp", "z", "other")
    assert read("<h2>One</h2>").heading == ""
    assert len(read(f"<h1>{'x' * 100_000}</h1>").heading) == 500


def test_endless_title_is_cut() -> None:
    assert len(read(f"<title>{'x' * 100_000}</title>").title) == 500


def test_plain_text_has_no_title_and_no_links() -> None:
    assert plain_page(" a  <a href=/x>\n b ") == PageContent("", "a <a href=/x> b", [])


@pytest.mark.parametrize("root", [None, "text", 3, object()])
def test_what_is_no_element_is_an_empty_page(root: Any) -> None:
    assert read_page(root, PAGE) == PageContent("", "", [])


@pytest.mark.parametrize("root", [etree.Comment("c"), etree.ProcessingInstruction("a", "b")])
def test_a_root_that_is_a_comment_has_no_links(root: Any) -> None:
    assert read_page(root, PAGE).links == []


def test_text_behind_the_root_belongs_to_somebody_else() -> None:
    first = lxml.html.fragment_fromstring("<div><p>mine</p>not mine</div>")[0]
    assert read_page(first, PAGE).text == "mine"


def test_namespaced_documents_are_read_too() -> None:
    root = etree.fromstring(
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title></head>'
        '<body><p>w<b>or</b>d</p><script>no</script><a href="x">y</a></body></html>'
    )
    page = read_page(root, PAGE)
    assert (page.title, page.text) == ("t", "word y")
    assert [link.url for link in page.links] == ["http://site.example/docs/x"]


BLOCKS = """<html><head><title>T</title><style>s</style></head><body>
<nav><a href=/>Home</a><a href=/b>About</a></nav><ul><li>One</li><li><p>Two</p>tail</li></ul>
<h1>Head <em>ing</em></h1><p>A <a href=/c>link</a> in<script>s</script> a <b>par</b>agraph,
over <img alt=no> two lines<br>and a break</p><table><tr><td>c1<td> <td>c2</table>
<pre>
one <b>line
two</b>  lines

</pre>bare <time datetime=2021>then</time> text</body></html>after"""


def test_text_comes_block_by_block_where_that_is_asked_for() -> None:
    page = read(BLOCKS, blocks=True)
    assert page.blocks == (
        *("Home About", "One", "Two", "tail", "Head ing", "A link in a paragraph, over two lines"),
        *("and a break", "c1", "c2", "one line", "two lines", "bare then text", "after"),
    )
    assert " ".join(page.blocks) == page.text
    assert replace(page, blocks=(), places=(), link_places={}) == read(BLOCKS)


def test_a_place_is_the_elements_and_the_classes_next_to_a_block_without_their_digits() -> None:
    page = read(
        "<body class=one><div class='ad ad-1'><p>A<p><b>B</b></div><div class=promo><p>C</div>"
        "<div class=main><p>D</div><section class=x><div class=a><div class=b><p>E",
        blocks=True,
    )
    other = read("<body class=two><div class=ad-2><p>A</div><div class=main><p>D", blocks=True)
    a, b, c, d, e = page.places
    assert a == b != c
    assert len({a, c, d, e}) == 4
    assert other.places[1] == d


def test_a_link_stands_where_the_block_does_in_which_it_is_mentioned_first() -> None:
    page = read(
        "<ul><li><a href=/a>A</a><li>B</ul><p><a href=/a>A</a> <a href=/b>B</a>", blocks=True
    )
    assert page.link_places == {
        "http://site.example/a": page.places[0],
        "http://site.example/b": page.places[2],
    }


@given(
    st.lists(
        st.sampled_from(["<p>", "</p>", "<a href=/x>", "</a>", "<pre>", "</pre>", "<i>"])
        | st.sampled_from(["\n", "x", " ", "&#30;", "\x1e", "<time>", "<br>", "<title>"])
    )
)
@example(["</p>", "&#30;", "&#30;", "&#30;", "x"])
def test_blocks_are_the_text(parts: list[str]) -> None:
    page = read("<p>" + "".join(parts), blocks=True)
    assert " ".join(page.blocks) == page.text
    assert all(block == collapse(block) != "" for block in page.blocks)


def test_blocks_of_a_text_without_markup_are_its_lines() -> None:
    page = plain_page('{"a": 1,\r\n\n  "b":  2}\n', blocks=True)
    assert page.blocks == ('{"a": 1,', '"b": 2}')
    assert plain_page("a\nb").blocks == ()
