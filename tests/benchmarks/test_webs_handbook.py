from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.children import BenchmarkError
from benchmarks.webs.handbook import build
from benchmarks.webs.links import targets
from benchmarks.webs.writing import Web
from tests.support.webs import by_url, text_at

BOOKS = {
    "en-US": ("Chapter 3. Security", "3.1. Firewall rules", "Walls keep fire out."),
    "fr-FR": ("Chapitre 3. Sécurité", "3.1. Règles du pare-feu", "Les murs arrêtent le feu."),
    "xx-XX": ("Xhapter 3.", "3.1. Xirewall", "Walls keep fire out."),
}


def _html(title: str, up: str, body: str) -> str:
    above = f'<link rel="up" href="{up}" />' if up else ""
    return (
        f"<html><head><title>{title}</title>{above}</head><body>"
        f'<div id="banner"><a href="http://out.example.org/">out</a></div>{body}</body></html>'
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("html")
    for language, (chapter, section, text) in BOOKS.items():
        (path / language).mkdir()
        link = '<a href="security.html#x">s</a> <a href="http://out.example.org/">out</a>'
        pages = {
            "index.html": _html("Book", "", link),
            "security.html": _html(chapter, "", '<a href="sect.fire.html">f</a>'),
            "sect.fire.html": _html(
                section,
                "security.html",
                f'<div class="para">{text}</div><a href="index.html">home</a>',
            ),
            "preface.html": _html("Preface", "", link),
        }
        for name, html in pages.items():
            (path / language / name).write_text(html, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def web(folder: Path) -> Web:
    return build(folder)


def test_a_host_a_language_but_for_those_that_are_hardly_translated(web: Web) -> None:
    hosts = {url.split("/")[2] for url in by_url(web)}
    assert hosts == {"en-us.handbook.example", "fr-fr.handbook.example"}
    assert web.seeds == ["http://en-us.handbook.example/"]


def test_each_page_links_to_itself_in_the_other_languages_and_to_nothing_outside(web: Web) -> None:
    url = "http://fr-fr.handbook.example/sect.fire.html"
    led = {*targets(url, by_url(web)[url].body)}
    assert led == {"http://en-us.handbook.example/sect.fire.html", "http://fr-fr.handbook.example/"}
    assert not [one.url for one in web.answers if b"out.example" in one.body]


def test_topics_are_chapters_in_all_languages(web: Web) -> None:
    assert {*web.labels} == {
        (f"http://{host}.handbook.example/{name}.html", "security")
        for host in ("en-us", "fr-fr")
        for name in ("security", "sect.fire")
    }
    assert web.keywords == {"security": "security firewall rules"}
    assert "Règles" in text_at(web, "http://fr-fr.handbook.example/sect.fire.html")


def test_a_folder_without_english_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="en-US"):
        build(tmp_path)
