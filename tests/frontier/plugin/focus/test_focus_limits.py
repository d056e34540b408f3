"""Where the ready-made crawl ends: at the number of pages, and at the domains of its seeds."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.scrapy_runs import scrapy
from tests.support.sites import Answer, Asked, Page, Said, Site, links, redirect, serving

SKY = "All of this is about telescopes and planets. " * 8
QUICK = (
    *("-s", "FRONTIER_ALLOW_NETWORKS=127.0.0.0/8", "-s", "DOWNLOAD_DELAY=0"),
    *("-s", "FRONTIER_VECTORS=built-in", "-s", "AUTOTHROTTLE_ENABLED=0"),
)
ROBOTS: Page = 200, {}, b"User-agent: *\nDisallow: /private"
MOVED: dict[str, Answer] = {
    "http://old.test/": redirect("http://www.old.test/", 301),
    "http://www.old.test/": redirect("http://hop.test/", 302),
    "http://hop.test/": (
        200,
        {"Content-Type": "text/html"},
        b'<html><head><meta http-equiv="refresh" content="0; url=http://www.new.test/home"></html>',
    ),
    "http://www.new.test/home": links(
        "/a", "http://sub.new.test/b", "http://hop.test/x", "http://away.test/", text=SKY
    ),
    "http://www.new.test/a": links("/c", "/led", text=SKY),
    "http://www.new.test/c": links(text=SKY),
    "http://www.new.test/led": redirect("http://away.test/", 301),
    "http://sub.new.test/b": links("http://old.test/d", text=SKY),
    "http://old.test/d": links(text=SKY),
}
"""A site that has moved, in three steps; of its links two lead away."""


def focus(folder: Path, site: Site, *words: str) -> subprocess.CompletedProcess[str]:
    env = {"http_proxy": site.url, "no_proxy": ""}
    topic = "--topic", "telescopes planets", "--dir", "job"
    done = scrapy("focus", *words, *topic, *QUICK, cwd=folder, env=env)
    assert done.returncode == 0, done.stderr
    return done


def pages_of(site: Site) -> list[str]:
    return [path for path in site.paths if urlsplit(path).path != "/robots.txt"]


@pytest.mark.parametrize("most", [None, 1, 2])
def test_with_stay_the_site_to_which_a_seed_redirects_is_crawled_and_no_other(
    tmp_path: Path, most: int | None
) -> None:
    """`most` pages a run: what was led to is remembered."""
    limit = () if most is None else ("--pages", str(most))
    with serving(MOVED) as site:
        for _ in range(1 if most is None else 6):
            focus(tmp_path, site, "http://old.test/", "--stay", *limit)
        assert sorted(pages_of(site)) == sorted(MOVED), "each once, and nothing beside them"
    log = (tmp_path / "job" / "crawl.log").read_text()
    told = "The seed http://old.test/ redirects to http://www.new.test/home: new.test counts"
    assert log.count(told) == 1


def web(asked: Asked) -> Said:
    if asked.path.endswith("/robots.txt"):
        return ROBOTS
    parts = urlsplit(asked.path)
    if parts.path == "/":
        return redirect("/start")
    if parts.path == "/0":
        return None
    return links(*(f"/{n}" for n in range(5)), text=f"{SKY} {asked.path}")


@pytest.mark.parametrize("more", [(), ("-s", "CONCURRENT_REQUESTS_PER_DOMAIN=8")])
def test_as_many_pages_come_as_were_asked_for_and_what_did_not_leave_comes_later(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    seeds = [f"http://h{n}.test/" for n in range(40)]
    (tmp_path / "seeds.txt").write_text("\n".join(seeds))
    with serving(web) as site:
        for run in (1, 2, 3):
            done = focus(tmp_path, site, "seeds.txt", "--pages", "10", *more)
            assert "Stopped at the limit CLOSESPIDER_PAGECOUNT = 10." in done.stdout
            asked = [path for path in pages_of(site) if urlsplit(path).path != "/"]
            assert len(asked) == 10 * run
        rest = 6 * len(seeds) - 30
        focus(tmp_path, site, "seeds.txt", "--pages", str(rest), *more)
        everything = pages_of(site)
    assert len(everything) == len(set(everything)) == 7 * len(seeds)
    items = [json.loads(one) for one in (tmp_path / "job/pages.jsonl").read_text().splitlines()]
    assert len(items) == 5 * len(seeds)
