"""`make crawl`: the main job in one command.

Without seeds it serves a demonstration web on this machine, as a proxy, and crawls that; with seeds
it crawls the web. Either way it is `scrapy crawl focused` that runs, with its output on the
terminal, its log in the crawl's directory and its pages beside it.
"""

from __future__ import annotations

import argparse
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from crawler.demonstration import PAGES, QUICK, demonstration_web
from crawler.directories import ROOT, directory_for, reason_in
from ranking.printing import say

if TYPE_CHECKING:
    from collections.abc import Sequence

VARIABLES = ("seeds", "topic", "examples", "strategy", "pages", "dir")
"""What may be given, as options here and in capitals to make."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one crawl and return Scrapy's exit code."""
    given = _parse(arguments)
    if given.seeds:
        return _crawl(given, dict(os.environ))
    if given.topic or given.examples:
        told = (
            "Expected SEEDS with a topic, found none. Give a file with one URL a line or URLs "
            'separated by commas: make crawl SEEDS=seeds.txt TOPIC="..."'
        )
        say([told], sys.stderr)
        return 2
    return _crawl_demonstration(given)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m crawler.run", description=__doc__)
    for name in VARIABLES:
        parser.add_argument(f"--{name}", default="", metavar=name.upper())
    parser.add_argument("--make", default="", metavar="COMMAND", help="that started this, if any")
    return parser.parse_args(arguments)


def _again(given: argparse.Namespace, directory: Path) -> str:
    """The command that goes on with a crawl in a directory, to be typed where this one was."""
    said = {name: getattr(given, name) for name in VARIABLES} | {"dir": str(directory)}
    told = [(name, value) for name, value in said.items() if value]
    if given.make:
        # A dollar of a value must be one to make, too.
        assigned = [f"{name.upper()}={value}".replace("$", "$$") for name, value in told]
        return f"{given.make} {shlex.join(assigned)}"
    options = [part for name, value in told for part in (f"--{name}", value)]
    return shlex.join([sys.executable, "-m", "crawler.run", *options])


def _crawl_demonstration(given: argparse.Namespace) -> int:
    again = argparse.Namespace(**vars(given))
    given.pages = given.pages or PAGES
    with demonstration_web() as web:
        given.seeds, given.topic = web.seeds, web.topic
        return _crawl(given, web.environment, *QUICK, again=again)


def _crawl(
    given: argparse.Namespace,
    environment: dict[str, str],
    *settings: str,
    again: argparse.Namespace | None = None,
) -> int:
    """Run the crawl; `again` is what was given, where it is not what is crawled."""
    directory = directory_for(given.dir)
    command = [sys.executable, "-m", "scrapy", "crawl", "focused"]
    for name in ("seeds", "topic", "examples", "strategy"):
        value = _from_root(getattr(given, name))
        if value:
            command += ["-a", f"{name}={value}"]
    wanted = [f"JOBDIR={directory}", f"LOG_FILE={directory / 'crawl.log'}", *settings]
    if given.pages:
        wanted.append(f"CLOSESPIDER_PAGECOUNT={given.pages}")
    wanted.append(f"FRONTIER_RESUME_COMMAND={_again(again or given, directory)}")
    for one in wanted:
        command += ["-s", one]
    command += ["-o", f"{directory / 'pages.jsonl'}:jsonlines"]
    code = _run_to_its_end(command, environment)
    if code:
        say(reason_in(directory / "crawl.log"), sys.stderr)
    return code


def _from_root(value: str) -> str:
    """A value as a crawl in the root has to be given it: the name of a file may be longer."""
    is_file = Path.cwd() != ROOT and Path(value).is_file()
    return str(Path(value).absolute()) if is_file else value


def _run_to_its_end(command: list[str], environment: dict[str, str]) -> int:
    """Run the crawl and let it stop in order: it hears Ctrl-C itself, and SIGTERM through us."""
    with subprocess.Popen(command, cwd=ROOT, env=environment) as crawl:
        before = {
            signal.SIGINT: signal.signal(signal.SIGINT, signal.SIG_IGN),
            signal.SIGTERM: signal.signal(signal.SIGTERM, lambda *_: crawl.terminate()),
        }
        try:
            return crawl.wait()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


if __name__ == "__main__":
    sys.exit(main())
