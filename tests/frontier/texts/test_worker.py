"""Processes that read texts: what they answer, and what becomes of pages that are too much."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from frontier.texts import StoredText
from frontier.texts.page_text import PackedText
from frontier.texts.worker import TextWorkers
from tests.support.pdfs import pdf_of

URL = "http://a.example/docs/page.html"
STORY = " ".join(
    f"The keeper wrote down in sentence {n} what the sea had brought." for n in range(9)
)
PAGE = f"""<html><head><title>A page</title></head><body>
<nav><ul><li><a href=/>Home</a></li><li><a href=/shop>Shop</a></li></ul></nav>
<article><h1>The lighthouse</h1><p>{STORY}</p><ul><li>One lamp</li><li>Two lamps</li></ul>
<pre><code>lamp = on()</code></pre></article>
<footer><p>Copyright, imprint and cookies of the harbour office</p></footer></body></html>"""


@pytest.fixture
def workers() -> Iterator[TextWorkers]:
    workers = TextWorkers(1)
    yield workers
    workers.close()


def text_of(packed: PackedText | None) -> StoredText:
    assert packed is not None
    return StoredText.unpacked(packed.data)


def test_the_main_text_is_without_menu_and_footer_also_as_markdown(workers: TextWorkers) -> None:
    page = text_of(workers.main_text(PAGE, URL, "A page").result())
    assert page.title == "A page"
    assert page.text.startswith("The lighthouse\nThe keeper wrote")
    assert "# The lighthouse" in page.markdown
    assert "- One lamp" in page.markdown
    for part in ("Shop", "cookies"):
        assert part not in page.text + page.markdown


def test_a_page_without_main_text_has_none_and_the_next_one_is_read(workers: TextWorkers) -> None:
    assert workers.main_text("", URL, "").result() is None
    assert text_of(workers.main_text("\ud800<p>", URL, "").result()).text.strip() in ("", "?")
    assert "lighthouse" in text_of(workers.main_text(PAGE, URL, "").result()).text


def test_a_pdf_has_title_text_and_links(workers: TextWorkers) -> None:
    links = ("http://b.example/other#part", "mailto:a@b.example", "../more.pdf", URL)
    data = pdf_of("On lamps", "Second page", links=links, title="Of lighthouses")
    content = workers.pdf(data, URL, 10).result()
    assert content is not None
    assert (content.title, content.text) == ("Of lighthouses", "On lamps Second page")
    assert content.blocks == ("On lamps", "Second page")
    assert [link.url for link in content.links] == [
        "http://b.example/other",
        "http://a.example/more.pdf",
    ]
    assert {type(link.url) for link in content.links} == {str}
    first = workers.pdf(data, URL, 1).result()
    assert first is not None
    assert len(first.links) == 1


@pytest.mark.parametrize("data", [b"%PDF-1.4", pdf_of("text")[:200], b"%PDF-" + os.urandom(999)])
def test_a_broken_pdf_has_no_text_and_the_next_one_is_read(
    workers: TextWorkers, data: bytes
) -> None:
    broken = workers.pdf(data, URL, 10).result()
    assert broken is None or broken.text == ""
    assert getattr(workers.pdf(pdf_of("text"), URL, 10).result(), "text", "") == "text"


def test_a_page_that_takes_too_long_has_no_text_and_its_process_is_replaced() -> None:
    workers = TextWorkers(1, seconds=30)
    assert workers.main_text(PAGE, URL, "").result() is not None
    workers._seconds = 0
    (first,) = workers._all
    assert workers.main_text(PAGE * 200, URL, "").result() is None
    assert first._process.poll() == -signal.SIGKILL
    workers._seconds = 30
    assert workers.main_text(PAGE, URL, "").result() is not None
    workers.close()


def test_a_process_that_was_killed_is_replaced_and_none_is_left_at_the_end() -> None:
    workers = TextWorkers(1)
    assert workers.main_text(PAGE, URL, "").result() is not None
    (first,) = workers._all
    os.kill(first._process.pid, signal.SIGKILL)
    first._process.wait()
    assert workers.main_text(PAGE, URL, "").result() is None
    assert workers.main_text(PAGE, URL, "").result() is not None
    (second,) = workers._all
    workers.close()
    assert second._process.poll() is not None


def test_a_list_of_which_little_would_be_found_is_main_text_as_a_whole(
    workers: TextWorkers,
) -> None:
    cards = "".join(
        f"<section><h3><a href=/{n}>Lamp {n}</a></h3><p>{n} candles, in brass</p></section>"
        for n in range(40)
    )
    page = f"<body><nav>Menu of lamps</nav><div>{cards}</div><footer>Imprint</footer></body>"
    text = text_of(workers.main_text(page, URL, "").result()).text
    assert all(f"{n} candles" in text for n in range(40))
    assert "Menu" not in text
    assert "Imprint" not in text
