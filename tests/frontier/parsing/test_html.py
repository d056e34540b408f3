"""The reader of pages: title and text."""

from __future__ import annotations

from typing import Any

import lxml.html
import pytest
from lxml import etree
from parsel import Selector

from frontier.parsing.content import plain_page
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
