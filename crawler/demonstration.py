"""The demonstration web as crawls use it: served on this machine, in a process of its own."""

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
"""Where the project lies."""
PAGES = "150"
"""Enough to read the demonstration web's pages on the topic, and not enough to read everything."""
LATENCY = "60"
"""Milliseconds an answer takes, as near servers of the web do; else all is over in a second."""
# Nobody else uses this web, so there is nobody to be polite to.
QUICK = ("DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=False")


class Demonstration(NamedTuple):
    """What a crawl of the demonstration web is given."""

    seeds: str
    topic: str
    environment: dict[str, str]


@contextmanager
def demonstration_web() -> Iterator[Demonstration]:
    """Serve the web and say so; its environment leads a crawl to it as to a proxy."""
    from frontier.web.demo import DEMO_SEEDS, DEMO_TOPIC  # only the demonstration needs them

    with _proxy() as proxy:
        text = f"A demonstration web is served on {proxy}; its topic: {DEMO_TOPIC}"
        say([text, ""], sys.stdout)
        environment = {**os.environ, "http_proxy": proxy, "no_proxy": ""}
        yield Demonstration(",".join(DEMO_SEEDS), DEMO_TOPIC, environment)


@contextmanager
def _proxy() -> Iterator[str]:
    command = [sys.executable, "-m", "scrapy", "web", "demo", "--latency", LATENCY]
    # In a session of its own: it serves on while a crawl that heard Ctrl-C finishes.
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
