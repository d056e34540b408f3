"""`make crawl`: the main job in one command.

Without seeds it serves a demonstration web on this machine, as a proxy, and crawls that; with seeds
it crawls the web. Either way it is `scrapy crawl focused` that runs, with its output on the
terminal, its log in the crawl's directory and its pages beside it.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).resolve().parents[1]
VARIABLES = ("seeds", "topic", "examples", "strategy", "pages", "dir")
"""What may be given, as options here and in capitals to make."""
DEMO_PAGES = "150"
"""Enough to read the demonstration web's pages on the topic, and not enough to read everything."""
DEMO_LATENCY = "60"
"""Milliseconds an answer takes, as near servers of the web do; else all is over in a second."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one crawl and return Scrapy's exit code."""
    given = _parse(arguments)
    if given.seeds:
        return _crawl(given, dict(os.environ))
    if given.topic or given.examples:
        print(
            "Expected SEEDS with a topic, found none. Give a file with one URL a line or URLs "
            'separated by commas: make crawl SEEDS=seeds.txt TOPIC="..."',
            file=sys.stderr,
        )
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
    from frontier.web.demo.site import DemoWeb  # only the demonstration needs it

    web = DemoWeb()
    again = argparse.Namespace(**vars(given))
    given.seeds = ",".join(web.seeds())
    given.topic = web.topic
    given.pages = given.pages or DEMO_PAGES
    with _demonstration_web() as proxy:
        print(f"A demonstration web is served on {proxy}; its topic: {web.topic}\n", flush=True)
        environment = {**os.environ, "http_proxy": proxy, "no_proxy": ""}
        # Nobody else uses this web, so there is nobody to be polite to.
        quick = ("DOWNLOAD_DELAY=0", "AUTOTHROTTLE_ENABLED=False")
        return _crawl(given, environment, *quick, again=again)


@contextmanager
def _demonstration_web() -> Iterator[str]:
    """Serve the demonstration web in a process of its own; yield the proxy's URL."""
    command = [sys.executable, "-m", "scrapy", "web", "demo", "--latency", DEMO_LATENCY]
    # In a session of its own: it serves on while a crawl that heard Ctrl-C finishes.
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as server:
        try:
            assert server.stdout is not None
            address = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())
            if address is None:
                raise SystemExit("The demonstration web did not start; the reason stands above.")
            yield address.group()
        finally:
            server.terminate()


def _crawl(
    given: argparse.Namespace,
    environment: dict[str, str],
    *settings: str,
    again: argparse.Namespace | None = None,
) -> int:
    """Run the crawl; `again` is what was given, where it is not what is crawled."""
    directory = Path(given.dir).absolute() if given.dir else _fresh_directory()
    directory.mkdir(parents=True, exist_ok=True)
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
        _show_reason(directory / "crawl.log")
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


def _fresh_directory() -> Path:
    """Name a directory that no crawl has used yet."""
    folder = ROOT / "crawls"
    numbers = (int(path.name) for path in folder.glob("[0-9]*") if path.name.isdigit())
    return folder / f"{max(numbers, default=0) + 1:03d}"


def _show_reason(log: Path) -> None:
    """Show why the crawl did not start: the log went to a file."""
    if log.is_file():
        lines = [line for line in log.read_text().splitlines() if " CRITICAL: " in line]
        for line in lines[-1:]:
            from ranking.printing import say

            say([line.partition(" CRITICAL: ")[2]], sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
