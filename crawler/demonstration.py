"""The demonstration web for crawls, served on this machine by a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from crawler.guard import Guard
from ranking.printing import say

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
"""The folder of the project."""
PAGES = "150"
"""Enough to read the demonstration web's pages on the topic, and not enough to read everything."""
LATENCY = "60"
"""Milliseconds until an answer, as of near servers; otherwise the crawl takes only a second."""
# Nobody else uses this web, so that politeness is not needed.
QUICK = ("DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=False")


class Demonstration(NamedTuple):
    """Seeds, topic and environment of a crawl of the demonstration web."""

    seeds: str
    topic: str
    environment: dict[str, str]


@contextmanager
def demonstration_web() -> Iterator[Demonstration]:
    """Serve the web and print its address; the environment makes it the proxy of a crawl."""
    from frontier.web.demo import DEMO_SEEDS, DEMO_TOPIC  # only the demonstration needs them

    with _proxy() as proxy:
        text = f"A demonstration web is served on {proxy}; its topic: {DEMO_TOPIC}"
        say([text, ""], sys.stdout)
        environment = {**os.environ, "http_proxy": proxy, "no_proxy": ""}
        yield Demonstration(",".join(DEMO_SEEDS), DEMO_TOPIC, environment)


@contextmanager
def _proxy() -> Iterator[str]:
    command = [sys.executable, "-m", "scrapy", "web", "demo", "--latency", LATENCY]
    # In a session of its own, so that it serves on while a crawl finishes after Ctrl-C.
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as server:
        guard = Guard(server.pid, signal.SIGTERM)
        try:
            assert server.stdout is not None
            address = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())
            if address is None:
                raise SystemExit("The demonstration web did not start; the reason stands above.")
            yield address.group()
        finally:
            server.terminate()
            server.wait()
            guard.dismiss()
