"""Cookie gates in the ready-made crawl, counted at a real server."""

from __future__ import annotations

import json
from itertools import count
from pathlib import Path

import pytest
from scrapy import Request, Spider, version_info
from scrapy.downloadermiddlewares.redirect import RedirectMiddleware
from scrapy.http import Response
from scrapy.settings import Settings

from frontier.plugin.focus import settings as ready_made
from frontier.plugin.focus.gates import GateCookies
from tests.support.scrapy_runs import scrapy
from tests.support.sites import Asked, Page, Said, links, serving

SKY = "All of this is about telescopes and planets. " * 8
REFRESHES = {"/5": "5; url=/5", "/bare": "5", "/top": "3; url=#top", "/d/": "1; URL='./'"}
HTML = {"Content-Type": "text/html"}


def sky(*targets: str, refresh: str | None = None) -> str:
    meta = f'<meta http-equiv="refresh" content="{refresh}">' if refresh else ""
    return meta + links(*targets, text=SKY, title="sky")


def cookies(asked: Asked) -> str:
    return asked.headers.get("cookie", "")


def sent_to(target: str, cookie: str) -> Page:
    return 302, {"Location": target, "Set-Cookie": f"{cookie}; Path=/"}, b""


def to_itself(asked: Asked) -> Said:
    return sky("/behind/itself") if "itself=1" in cookies(asked) else sent_to("/", "itself=1")


def by_check(asked: Asked) -> Said:
    if "checked=1" in cookies(asked):
        return sky("/behind/check")
    return 302, {"Location": f"/check?to={asked.path}"}, b""


def by_refresh(asked: Asked) -> Said:
    if "refreshed=1" in cookies(asked):
        return sky("/behind/refresh")
    headers = {**HTML, "Set-Cookie": "refreshed=1; Path=/"}
    return 200, headers, b'<meta http-equiv="refresh" content="0; url=/refresh">'


def test_pages_behind_a_gate_are_fetched_and_circles_end(tmp_path: Path) -> None:
    numbers = count()
    web = {
        "/": to_itself,
        "/behind/itself": sky("/by-check", "/refresh", "/endless", "/visited", *REFRESHES),
        "/by-check": by_check,
        "/check?to=/by-check": sent_to("/by-check", "checked=1"),
        "/refresh": by_refresh,
        "/endless": lambda _: sent_to("/endless", f"number{next(numbers)}=1"),
        "/visited": lambda _: (200, {**HTML, "Set-Cookie": "visited=1; Path=/"}, sky().encode()),
        **{path: sky(f"/after{path}", refresh=content) for path, content in REFRESHES.items()},
        **{f"/after{path}": sky() for path in REFRESHES},
        "/behind/check": sky(),
        "/behind/refresh": sky(),
    }
    with serving(web) as site:
        done = scrapy(
            *("focus", f"{site.url}/", "--topic", "telescopes planets"),
            *("-s", "FRONTIER_ALLOW_NETWORKS=127.0.0.0/8", "-s", "DOWNLOAD_DELAY=0"),
            *("-s", "FRONTIER_VECTORS=built-in", "-s", "AUTOTHROTTLE_ENABLED=0"),
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        requests = {key.removeprefix("GET "): number for key, number in site.requests.items()}
        carried = {one.path: cookies(one) for one in site.asked}
    expected = dict.fromkeys(["/robots.txt", *web], 1) | {"/": 2, "/by-check": 2, "/refresh": 2}
    assert requests == expected | {"/endless": 4}
    lines = (tmp_path / "crawls/001/pages.jsonl").read_text().splitlines()
    pages = {json.loads(line)["final_url"].removeprefix(site.url) for line in lines}
    assert pages == set(web) - {"/endless", "/check?to=/by-check"}
    assert "itself=1" in carried["/behind/itself"]
    assert not any("visited" in header for header in carried.values())


@pytest.mark.slow
def test_known_pages_behind_a_gate_are_seen_again_when_their_cookie_is_gone(
    tmp_path: Path,
) -> None:
    inner = [f"/page{n}" for n in range(4)]

    def gated(asked: Asked) -> Said:
        path, _, target = asked.path.partition("?to=")
        if path == "/check":
            return sent_to(target, "checked=1")
        return sky(*inner) if "checked=1" in cookies(asked) else by_check(asked)

    again = "FRONTIER_REFRESH=sweep", "FRONTIER_REFRESH_MIN=1", "CLOSESPIDER_TIMEOUT=5"
    with serving(gated) as site:
        for more in ([], [part for one in again for part in ("-s", one)]):
            before = len(site.asked)
            done = scrapy(
                *("focus", f"{site.url}{inner[0]}", "--topic", "telescopes planets"),
                *("--dir", "crawl", "-s", "FRONTIER_ALLOW_NETWORKS=127.0.0.0/8"),
                *("-s", "DOWNLOAD_DELAY=0", "-s", "AUTOTHROTTLE_ENABLED=0", *more),
                cwd=tmp_path,
            )
            assert done.returncode == 0, done.stderr
    resumed = site.asked[before:]
    assert sum(one.path.startswith("/check") for one in resumed) == 1
    assert {one.path for one in resumed if cookies(one)} >= set(inner)
    items = map(json.loads, (tmp_path / "crawl/pages.jsonl").read_text().splitlines())
    seen_again = [one["url"] for one in items if one.get("change") == "unchanged"]
    assert {url.removeprefix(site.url) for url in seen_again} >= set(inner[1:])


PASSED = () if version_info >= (2, 14) else (Spider("any"),)
"""What Scrapy passes to middlewares beside request and response."""


def gate_cookies() -> GateCookies:
    return GateCookies()


@pytest.mark.parametrize(
    ("cookie", "others"),
    [
        ("a=2; Path=/", True),
        ("b=1; Path=/", True),
        ("a=1; Path=/", False),
        ("c=1; Path=/elsewhere", False),
        ("c=1; Domain=other.example", False),
        ("a=; Max-Age=0; Path=/", False),
        ("d=1; Path=/; Secure", False),
    ],
)
def test_only_a_cookie_that_is_sent_back_opens_a_gate(cookie: str, others: bool) -> None:
    own, asked = gate_cookies(), Request("http://a.example/page")
    own.keep(asked, Response(asked.url, headers={"Set-Cookie": "a=1; Path=/"}), *PASSED)
    own.process_request(asked, *PASSED)
    assert asked.headers["Cookie"] == b"a=1"
    assert own.keep(asked, Response(asked.url, headers={"Set-Cookie": cookie}), *PASSED) is others


def test_no_more_cookies_of_a_site_are_kept_than_a_request_carries() -> None:
    own, asked = gate_cookies(), Request("http://a.example/")
    for number in range(80):
        own.keep(asked, Response(asked.url, headers={"Set-Cookie": f"n{number}=1"}), *PASSED)
        own.process_request(asked, *PASSED)
    assert len((asked.headers["Cookie"] or b"").split(b";")) == 50


def test_the_middlewares_stand_where_scrapys_own_stood() -> None:
    scrapys = Settings()["DOWNLOADER_MIDDLEWARES_BASE"]
    chosen = ready_made.DOWNLOADER_MIDDLEWARES
    taken = {path: scrapys[path] for path, place in chosen.items() if place is None}
    assert sorted(taken.values()) == sorted(place for place in chosen.values() if place)
    assert f"{RedirectMiddleware.__module__}.RedirectMiddleware" in taken
