"""What a browser brings where it pays: `python -m benchmarks render`.

Crawls of a web of which a third of the pages needs a browser (`benchmarks/script_web.py`), with
FRONTIER_RENDER=all and auto, and of one that needs none: the area under the curve of relevant pages
by pages fetched, and how many pages were shown.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.children import ROOT
from benchmarks.report import AT_LEAST, AT_MOST, Figure, tell
from benchmarks.script_web import TOPIC, ScriptWeb
from frontier.states import Mark
from frontier.store.open import FILE_NAME
from frontier.web.serving import WebServer

SEEDS = 6


class Crawled(NamedTuple):
    """What a crawl fetched: whether each page is relevant, and whether it was shown, in order."""

    relevant: list[bool]
    shown: list[bool]
    first_right: list[bool]
    """Of each host whose manner was known: whether its first page was judged right."""

    @property
    def area(self) -> float:
        """Area under the curve of relevant pages by pages fetched."""
        count = len(self.relevant)
        return sum((count - at) * found for at, found in enumerate(self.relevant)) / count**2


def crawl(web: ScriptWeb, way: str, pages: int, proxy: str) -> Crawled:
    """Crawl a web; `way` is FRONTIER_RENDER."""
    with TemporaryDirectory() as folder:
        seeds = ",".join(web.url(host, host) for host in range(SEEDS))
        settings = {
            "JOBDIR": f"{folder}/job",
            "FRONTIER_RENDER": way,
            "PLAYWRIGHT_LAUNCH_OPTIONS": '{"chromium_sandbox": false}',
            "CLOSESPIDER_PAGECOUNT": pages,
            "DOWNLOAD_DELAY": 0,
            "AUTOTHROTTLE_ENABLED": 0,
            "CONCURRENT_REQUESTS": 4,
            "ROBOTSTXT_OBEY": 0,
            "LOG_LEVEL": "WARNING",
        }
        command = [sys.executable, "-m", "scrapy", "crawl", "focused", "-a", f"seeds={seeds}"]
        command += ["-a", f"topic={TOPIC}"]
        for name, value in settings.items():
            command += ["-s", f"{name}={value}"]
        env = {**os.environ, "http_proxy": proxy, "https_proxy": proxy, "no_proxy": ""}
        subprocess.run(command, env=env, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        return fetched(web, Path(folder, "job", FILE_NAME))


def fetched(web: ScriptWeb, file: Path) -> Crawled:
    """Read what a crawl fetched."""
    with sqlite3.connect(file) as stored:
        rows = stored.execute(
            "SELECT url, marks, rendering FROM pages JOIN urls USING (id) "
            "WHERE state = 3 ORDER BY seq"
        ).fetchall()
    stored.close()
    found = Crawled([], [], [])
    hosts: set[int] = set()
    manners: set[tuple[str, bool]] = set()
    for url, marks, rendering in rows:
        place = web.place(url)
        assert place is not None
        found.relevant.append(web.relevant(*place))
        found.shown.append(bool(marks & Mark.RENDERED))
        note, manner = json.loads(rendering or '{"chance": 0}'), web.manner(place[0])
        if place[0] not in hosts and manner in manners and note["chance"] is not None:
            gains = manner[1] and manner[0] != "state"
            found.first_right.append((note["chance"] >= 0.5) == gains)
        hosts.add(place[0])
        manners.add(manner)
    return found


def measure(pages: int) -> list[Figure]:
    """Crawl the web in all ways."""
    web = ScriptWeb()
    with WebServer(web) as server:
        ways = {way: crawl(web, way, pages, server.url) for way in ("off", "all", "auto")}
    plain = ScriptWeb(scripted=0)
    with WebServer(plain) as server:
        none = crawl(plain, "auto", pages, server.url)
    everything, auto = ways["all"], ways["auto"]
    print(
        {
            way: (round(found.area, 4), sum(found.shown), sum(found.relevant))
            for way, found in ways.items()
        }
    )
    right, needless = auto.first_right, none.shown
    return [
        Figure(
            "harvest: area under the curve, auto / all",
            "",
            auto.area,
            everything.area,
            AT_LEAST,
            0.95,
        ),
        Figure(
            "pages shown, auto / all", "pages", sum(auto.shown), sum(everything.shown), AT_MOST, 0.2
        ),
        Figure(
            "first pages of hosts in a known manner judged right",
            "",
            sum(right),
            len(right),
            AT_LEAST,
            0.8,
        ),
        Figure(
            "pages shown of a web that needs no browser",
            "pages",
            sum(needless),
            len(needless),
            AT_MOST,
            0.01,
        ),
    ]


def main(arguments: Sequence[str]) -> int:
    """Measure; 1 if a promise is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks render", description=__doc__)
    parser.add_argument("--pages", type=int, default=600, help="pages of each crawl (%(default)s)")
    return tell(measure(parser.parse_args(arguments).pages))
