from __future__ import annotations

import asyncio
import hashlib
import json
import re
from urllib.parse import urljoin
from urllib.robotparser import RobotFileParser

import pytest

from frontier.web.answers import WebAnswer
from frontier.web.demo.prose import TOPICS
from frontier.web.demo.site import DemoWeb

OBSERVATORY = "http://observatory.example/"


@pytest.fixture
def web() -> DemoWeb:
    return DemoWeb()


def ask(web: DemoWeb, url: str) -> WebAnswer:
    return asyncio.run(web.answer("GET", url, {}, b""))


def urls(web: DemoWeb) -> list[str]:
    """All but those of the calendar."""
    return [*web.pages, *web.oddities]


def linked(web: DemoWeb) -> dict[str, list[str]]:
    """The out-links of every ordinary page, in the order they stand on it."""
    return {url: [link.url for link in page.links] for url, page in web.pages.items()}


def links(answer: WebAnswer, url: str) -> list[str]:
    found = re.findall(r'<a href="([^"]+)"', answer.body.decode("latin-1"))
    return [urljoin(url, link) for link in found]


def crawl(web: DemoWeb, limit: int = 2000) -> dict[str, WebAnswer]:
    """All that can be reached, the calendar left out."""
    todo, answers = web.seeds(), {}
    while todo and len(answers) < limit:
        url = todo.pop()
        if url in answers or "/calendar/" in url:
            continue
        answers[url] = ask(web, url)
        todo += links(answers[url], url)
        todo += [urljoin(url, value) for name, value in answers[url].headers if name == "Location"]
    return answers


def test_the_link_structure_is_the_same_on_every_machine(web: DemoWeb) -> None:
    digest = hashlib.sha256(json.dumps(linked(web)).encode()).hexdigest()
    assert digest == "60ea87faed591984241501f566624ece1708ed7bb72a687ffb1c2d0a7b6b562f"


def test_every_page_can_be_reached_from_the_seeds(web: DemoWeb) -> None:
    reached = crawl(web)
    unlinked = {url for url in urls(web) if not url.endswith("/robots.txt")} - reached.keys()
    assert unlinked == set()


def test_topics_are_known_for_pages_only(web: DemoWeb) -> None:
    assert len(TOPICS) == 5
    assert web.topic == TOPICS[0].keywords == "astronomy telescopes planets stars galaxies"
    assert web.topic_of("HTTP://observatory.example#x") == "astronomy"
    assert web.topic_of("http://kitchen.example/cafe") == "cooking"
    assert web.topic_of("http://portal.example/") is None
    assert web.topic_of("http://nowhere.example/") is None
    counts = [sum(web.topic_of(url) == one.name for url in urls(web)) for one in TOPICS]
    assert min(counts) > 60


def test_the_calendar_has_no_end_and_no_topic(web: DemoWeb) -> None:
    url = f"{OBSERVATORY}calendar/2026/11"
    assert url in linked(web)[OBSERVATORY]
    seen = set()
    for _ in range(300):
        answer = ask(web, url)
        assert (answer.status, url in seen, web.topic_of(url)) == (200, False, None)
        seen.add(url)
        url = links(answer, url)[0]
    assert url == f"{OBSERVATORY}calendar/2051/11"


def test_robots_txt_forbids_pages_that_are_linked(web: DemoWeb) -> None:
    for host, page in [("observatory", "members"), ("kitchen", "accounts")]:
        root = f"http://{host}.example/"
        rules = RobotFileParser()
        rules.parse(ask(web, f"{root}robots.txt").body.decode().splitlines())
        assert not rules.can_fetch("*", f"{root}private/{page}")
        assert rules.can_fetch("*", root)
        assert f"{root}private/{page}" in linked(web)[root]
        assert ask(web, f"{root}private/{page}").status == 200
    assert ask(web, "http://chess.example/robots.txt").status == 404


def test_redirects_lead_to_pages(web: DemoWeb) -> None:
    for url, status, target in [
        (f"{OBSERVATORY}old/links", 301, f"{OBSERVATORY}links"),
        ("http://stargazers.example/go/observatory", 302, OBSERVATORY),
        ("http://velo.example/hop/1", 301, "/hop/2"),
        ("http://velo.example/hop/2", 302, "http://cycling.example/links"),
    ]:
        answer = ask(web, url)
        assert (answer.status, dict(answer.headers)["Location"]) == (status, target)
        assert ask(web, urljoin(url, target)).status in (200, 302)


def test_the_overloaded_page_answers_the_second_time(web: DemoWeb) -> None:
    first, second, third = (ask(web, "http://stargazers.example/tonight") for _ in range(3))
    assert (first.status, dict(first.headers)["Retry-After"]) == (503, "1")
    assert second.status == third.status == 200


def test_other_formats(web: DemoWeb) -> None:
    cafe = ask(web, "http://kitchen.example/cafe")
    assert dict(cafe.headers)["Content-Type"] == "text/html; charset=iso-8859-1"
    assert "Crème brûlée" in cafe.body.decode("latin-1")
    with pytest.raises(UnicodeDecodeError):
        cafe.body.decode("utf-8")
    notes = ask(web, "http://stargazers.example/notes.txt")
    assert dict(notes.headers)["Content-Type"].startswith("text/plain")
    assert ask(web, f"{OBSERVATORY}dot.png").body.startswith(b"\x89PNG\r\n")
