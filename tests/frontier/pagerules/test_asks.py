"""What a page asks of whoever uses it, and its language: kept as it says, never decided."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import html

from frontier import open_crawl
from frontier.pagerules.asks import asks_of
from frontier.pagerules.declared import with_headers
from frontier.parsing.content import PageContent
from frontier.parsing.html import read_page
from tests.support.scrapy_runs import run_focused
from tests.support.sites import links, serving

URL = "http://x.example/"


def page(head: str = "", attributes: str = "", **headers: str) -> PageContent:
    content = read_page(html.fromstring(f"<html {attributes}><head>{head}</head><p>x</html>"), URL)
    named = {name.replace("_", "-").lower(): [value] for name, value in headers.items()}
    return with_headers(content, lambda name: named.get(name.lower(), []), URL)


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("<meta name=robots content='noai, noimageai'>", "noai; noimageai"),
        ("<meta name=robots content=none>", "noindex"),
        ("<meta name=robots content='max-image-preview:none, follow'>", None),
        ("<meta name=GPTBot content=noindex>", "gptbot: noindex"),
        ("<meta name=gptbot content=noai>", "gptbot: noai"),
        ("<meta name=tdm-reservation content=1>", "tdm-reservation: 1"),
        ("<meta name='TDM-Policy' content='/p.json'>", "tdm-policy: /p.json"),
        ("<meta http-equiv=Content-Usage content='train-ai=n'>", "content-usage: train-ai=n"),
        ("<meta name=description content='a page about noindex'>", None),
        ("", None),
    ],
)
def test_elements(head: str, expected: str | None) -> None:
    assert asks_of(page(head)) == expected


def test_headers_count_as_elements_do_and_the_same_request_once() -> None:
    head = "<meta name=robots content=noai>"
    found = page(
        head,
        X_Robots_Tag="noai, noindex",
        TDM_Reservation="1",
        Content_Usage="train-ai=n,\n search=y",
    )
    assert asks_of(found) == (
        "noai; noindex; tdm-reservation: 1; content-usage: train-ai=n, search=y"
    )


def test_what_is_kept_is_bounded() -> None:
    head = "".join(f"<meta name=tdm-policy content='{n:0999}'>" for n in range(1000))
    assert len(asks_of(page(head)) or "") == 1000


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (page(attributes="lang=de-AT"), "de-at"),
        (page(attributes="xml:lang=fr"), "fr"),
        (page("<meta http-equiv=content-language content='it, en'>"), "it"),
        (page(Content_Language="pt-BR, en"), "pt-br"),
        (page(attributes="lang=de", Content_Language="en"), "de"),
        (page(attributes="lang='no language at all'"), ""),
        (page(), ""),
    ],
)
def test_language(found: PageContent, expected: str) -> None:
    assert found.language == expected


def test_a_crawl_keeps_them_with_its_pages(tmp_path: Path) -> None:
    pdf = {"Content-Type": "application/pdf", "TDM-Reservation": "1"}
    pages = {
        "/": f"<html lang=de><meta name=robots content=noai>{links('/a', '/b')}",
        "/a": (200, {"Content-Type": "text/html", "Content-Usage": "train-ai=n"}, b"text"),
        "/b": (200, pdf, b"%PDF-1.4"),
    }
    job = tmp_path / "job"
    with serving(pages) as site:
        seed = f"seeds={site.url}/"
        done = run_focused(tmp_path, "-a", seed, "-a", "topic=text", "-s", f"JOBDIR={job}")
        assert done.returncode == 0
    assert {
        str(row["url"]).removeprefix(site.url): (row["asks"], row["language"])
        for row in open_crawl(job).pages()
    } == {
        "/": ("noai", "de"),
        "/a": ("content-usage: train-ai=n", None),
        "/b": ("tdm-reservation: 1", None),
    }
