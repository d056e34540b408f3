"""A replay reads, walks and forbids as a Scrapy crawl of the same pages does."""

from __future__ import annotations

import gzip
import random
from dataclasses import replace
from pathlib import Path

import pytest
from scrapy.settings import Settings

from frontier.config import CrawlConfig
from frontier.lab.replay.contestants import Setup
from frontier.lab.replay.crawl import replay
from frontier.lab.replay.records import Task
from frontier.lab.replay.webfile import AnswerKind, Parsed, WebFile, WebWriter
from frontier.plugin.lab import robots_rules
from frontier.plugin.recorded import parser_of
from frontier.web.recorded_web import Recorded
from ranking.orders import DEFAULT_ORDER
from tests.support.scrapy_runs import run_focused
from tests.support.sites import Page, Site, redirect, serving

PARSE, SAID = parser_of(Settings())
URL = "http://a.example/dir/page"
WORDS = ["comet", "tail", "nucleus", "garden", "rose", "soil"]


def parsed(body: bytes = b"", status: int = 200, **headers: str) -> Parsed:
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return PARSE(Recorded(URL, status, "", named, body))


def leads(found: Parsed) -> list[str]:
    """Where a crawl goes from here."""
    return [found.location] if found.location else [link.url for link in found.content.links]


def test_html_is_read_with_its_links_and_its_encoding() -> None:
    body = "<title>Café</title><p>Text</p><a href=../x rel=nofollow>a link</a>".encode("latin-1")
    found = parsed(body, Content_Type="text/html; charset=latin-1")

    assert (found.kind, found.status) == (AnswerKind.PAGE, 200)
    assert (found.content.title, found.content.text) == ("Café", "Text a link")
    (link,) = found.content.links
    assert (link.url, link.anchor, link.nofollow) == ("http://a.example/x", "a link", True)


def test_bodies_are_unpacked_and_what_cannot_be_is_a_page_without_content() -> None:
    html = {"Content_Type": "text/html", "Content_Encoding": "gzip"}

    assert parsed(gzip.compress(b"<p>packed"), **html).content.text == "packed"
    broken = parsed(gzip.compress(b"<p>packed")[:15], **html)
    assert broken.kind is AnswerKind.PAGE


@pytest.mark.parametrize(
    ("content_type", "body", "text"),
    [
        ("text/plain", b"one < two", "one < two"),
        ("", b"one < two", "one < two"),
        ("image/png", b"\x89PNG\r\n\x1a\n", ""),
    ],
)
def test_other_types_are_read_as_a_crawl_reads_them(
    content_type: str, body: bytes, text: str
) -> None:
    found = parsed(body, Content_Type=content_type)

    assert (found.kind, found.content.text, found.content.links) == (AnswerKind.PAGE, text, [])


@pytest.mark.parametrize(
    ("status", "location", "kind", "leads"),
    [
        (301, "../moved", AnswerKind.REDIRECT, "http://a.example/moved"),
        (308, "https://b.example/", AnswerKind.REDIRECT, "https://b.example/"),
        (302, "mailto:x@example.org", AnswerKind.FAILED, ""),
        (302, "", AnswerKind.FAILED, ""),
        (304, "/other", AnswerKind.FAILED, ""),
        (404, "/other", AnswerKind.FAILED, ""),
        (503, "", AnswerKind.FAILED, ""),
    ],
)
def test_redirects_lead_on_and_errors_nowhere(
    status: int, location: str, kind: AnswerKind, leads: str
) -> None:
    found = parsed(b"<a href=/x>x</a>", status, Location=location)

    assert (found.kind, found.status, found.location) == (kind, status, leads)
    assert found.content.links == []


def test_a_page_that_refreshes_itself_soon_is_a_redirect() -> None:
    body = b'<meta http-equiv=refresh content="%d; url=/on"><a href=/x>x</a>'
    html = {"Content_Type": "text/html"}

    assert leads(parsed(body % 5, **html)) == ["http://a.example/on"]
    later = ["http://a.example/x", "http://a.example/on"]
    assert leads(parsed(body % 5000, **html)) == later
    itself = b'<meta http-equiv=refresh content="5; url=/dir/page"><a href=/x>x</a>'
    assert leads(parsed(itself, **html)) == ["http://a.example/x"]
    assert leads(parsed(b"", **html, Refresh="0; url=/on")) == ["http://a.example/on"]


def test_headers_say_what_elements_would() -> None:
    tags = {"X_Robots_Tag": "probe: nofollow", "Link": '</y>; rel="canonical"'}
    found = parsed(b"text", Content_Type="text/plain", **tags).content

    assert (found.robots, found.canonical) == ((("probe", "nofollow"),), "http://a.example/y")


def test_links_are_limited_as_the_settings_say() -> None:
    parse, said = parser_of(Settings({"URLLENGTH_LIMIT": 30}))
    body = b"<a href=/1>1</a><a href=/a-very-long-address-indeed>2</a><a href=/3>3</a>"
    found = parse(Recorded(URL, 200, "", [("Content-Type", "text/html")], body))

    assert leads(found) == ["http://a.example/1", "http://a.example/3"]
    assert said != SAID


def test_robots_txt_is_read_by_scrapys_parser() -> None:
    allowed = robots_rules(b"User-agent: *\nDisallow: /private*x$\n", "any")

    assert allowed("http://a.example/private/y")
    assert not allowed("http://a.example/private/x")


def a_site(seed: int = 5, n: int = 40) -> dict[str, str | Page]:
    """Pages of two subjects, with dead links and redirects."""
    draw = random.Random(seed)
    names = [f"/p{i}" for i in range(n)]
    pages: dict[str, str | Page] = {}
    for i, name in enumerate(["/", *names]):
        text = " ".join(WORDS[3 * (i % 2) : 3 * (i % 2) + 3] * 8)
        links = draw.sample([*names, "/gone", "/lost"], 5)
        anchors = " ".join(f"<a href={one}>{draw.choice(WORDS)}</a>" for one in links)
        pages[name] = f"<title>{text[:5]}</title><p>{text}</p>{anchors}"
    pages[names[3]] = redirect(names[4])
    pages[names[9]] = redirect("/gone")
    return pages


def as_web(site: Site, folder: Path) -> WebFile:
    """The same pages under the same addresses, recorded."""
    with (folder / "site.labweb").open("wb") as file:
        writer = WebWriter(file)
        for path, answer in site.pages.items():
            assert not callable(answer)
            html = (200, {"Content-Type": "text/html; charset=utf-8"}, b"")
            status, headers, body = (
                (html[0], html[1], answer.encode()) if isinstance(answer, str) else answer
            )
            recorded = Recorded(site.url + path, status, "", list(headers.items()), body)
            writer.add(recorded.url, PARSE(recorded))
        writer.finish(lambda _: None, {})
    return WebFile(folder / "site.labweb", "site")


def replayed(site: Site, folder: Path, row: str) -> list[str]:
    with as_web(site, folder) as web:
        seeds = (f"{site.url}/",)
        task = Task("site", "keywords", "t", 0, row, seeds, (), "comet tail", frozenset(), 500)
        setup = Setup(CrawlConfig(vectors="built-in"))
        record = replay(replace(task), web, setup)
        return [web.urls[one].removeprefix(site.url) for one in record.urls]


@pytest.mark.parametrize("strategy", ["bfs", DEFAULT_ORDER])
def test_an_order_walks_in_a_replay_as_in_a_crawl(tmp_path: Path, strategy: str) -> None:
    with serving(a_site()) as site:
        run = run_focused(
            tmp_path,
            *("-a", f"seeds={site.url}/", "-a", "topic=comet tail", "-a", f"strategy={strategy}"),
            *("-s", "ROBOTSTXT_OBEY=False"),
        )
        assert run.returncode == 0, run.log
        assert replayed(site, tmp_path, strategy) == site.paths
        assert len(site.paths) > 30
