"""`make crawl`: `scrapy focus` with this project's settings and spider.

Without seeds it serves a demonstration web on this machine, as a proxy, and crawls that, for its
own topic or for another; with seeds it crawls the web.
"""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.cmdline import execute

from crawler.demonstration import PAGES, QUICK, demonstration_web
from frontier.plugin.commands.base import INTERRUPTED
from frontier.plugin.focus.command import Command
from frontier.store.open import directory_for
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

VARIABLES = ("seeds", "topic", "examples", "strategy", "pages", "dir")
"""The options, which are variables of make in capital letters."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one crawl and return the exit code of `scrapy focus`."""
    parser = argparse.ArgumentParser(prog="python -m crawler.run", description=__doc__)
    for name in VARIABLES:
        parser.add_argument(f"--{name}", default="", metavar=name.upper())
    given = parser.parse_args(arguments)
    given.dir = str(directory_for(given.dir).absolute())
    options = {name: getattr(given, name) for name in VARIABLES if getattr(given, name)}
    settings: list[str] = []
    if not options.keys() & {"seeds", "examples"}:
        from frontier.web.demo import DEMO_SEEDS, DEMO_TOPIC  # only the demonstration needs them

        options = {"pages": PAGES, "seeds": ",".join(DEMO_SEEDS), "topic": DEMO_TOPIC} | options
        settings += QUICK
        Command.during = _demonstration
    # The project's own settings and spider.
    Command.settings_module = "crawler.settings"
    Command.spider = "crawler.spiders.focused.FocusedSpider"
    try:
        execute(["scrapy", "focus", *_words(options, settings)])
    except SystemExit as done:
        code = int(done.code or 0)
        return code or _report(Path(given.dir))
    except KeyboardInterrupt:  # before Scrapy handles it
        return INTERRUPTED
    raise AssertionError("Scrapy's commands end with SystemExit")


def _report(directory: Path) -> int:
    """Write the report of the crawl; an error of it is no failure of the crawl."""
    from frontier.watch.report import write_report
    from ranking.printing import say

    try:
        lines = [f"To look at it, open {write_report([directory])}"]
    except LinkRankError as error:
        lines = [f"There is no page of it: {error}"]
    say(lines, sys.stdout)
    return 0


@contextmanager
def _demonstration() -> Iterator[None]:
    with demonstration_web() as web:
        os.environ.update(web.environment)
        yield


def _words(options: dict[str, str], settings: Sequence[str]) -> list[str]:
    words = [options[name] for name in ("seeds",) if name in options]
    words += [f"--{name}={value}" for name, value in options.items() if name != "seeds"]
    return words + [part for setting in settings for part in ("-s", setting)]


if __name__ == "__main__":
    sys.exit(main())
