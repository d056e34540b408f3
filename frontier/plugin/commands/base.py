"""Commands with actions: ``scrapy frontier top DIR -n 5``.

An action is a function decorated with `action`, which declares its operands and options; its
docstring is its help. Scrapy's parser takes Scrapy's own options (``-s``, ``-L`` ...), wherever
they stand; a second parser, with a subparser for each action, takes the other words.

An action imports its modules when it runs, so that the help of all actions is quick.
"""

from __future__ import annotations

import argparse
import inspect
import logging
import math
import os
import re
import sys
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy.commands import ScrapyCommand
from twisted.python.failure import Failure

from scrapy_linkrank import COMMANDS

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

INTERRUPTED = 130
"""Exit code of a process ended by Ctrl-C."""

Argument = Callable[[Any], argparse.Action]
"""Adds an operand or an option to a parser, and returns it."""


@dataclass(frozen=True)
class Action:
    """An action of a command: its name, its arguments, and the function that runs it."""

    name: str
    arguments: tuple[Argument, ...]
    run: Callable[..., Any]

    @property
    def help(self) -> str:
        """The docstring of `run`; its first line is shown in the list of actions."""
        return inspect.getdoc(self.run) or ""


def action(name: str, *arguments: Argument) -> Callable[[Callable[..., Any]], Action]:
    """Decorate a function as an action with these operands and options."""
    return lambda run: Action(name, arguments, run)


def argument(*names: str, **how: Any) -> Argument:
    """Declare an argument as argparse's `add_argument` does; the help includes the default."""
    if how.get("default") is not None:
        how["help"] += " (default: %(default)s)"
    return lambda parser: parser.add_argument(*names, **how)


def number(
    kind: type[int] | type[float], expected: str, holds: Callable[[float], bool]
) -> Callable[[str], float]:
    """Return a reader of numbers for `argument(type=...)`; `holds` is the condition."""

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not holds(value):
            raise argparse.ArgumentTypeError(f"expected {expected}, found {text}")
        return value

    return read


positive = number(int, "1 or more", lambda n: n >= 1)
above_0 = number(float, "a number above 0", lambda value: 0 < value < math.inf)
tcp_port = number(int, "a port from 0 to 65535", lambda port: 0 <= port <= 65535)
share = number(float, "0 to 1", lambda value: 0 <= value <= 1)
_SPANS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def since(text: str) -> float:
    """Read a moment for `argument(type=...)`: a date, a time, Unix seconds or an age, as 2h.

    A number of four or eight digits is a year or a date, not Unix seconds.
    """
    words = text.strip()
    age = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)([smhdw])", words)
    try:
        if age is not None:
            return max(time.time() - float(age[1]) * _SPANS[age[2]], 0.0)
        if re.fullmatch(r"[0-9]+(\.[0-9]+)?", words) and len(words) not in (4, 8):
            return datetime.fromtimestamp(float(words), timezone.utc).timestamp()
        moment = datetime.fromisoformat(re.sub(r"( UTC|Z)$", "+00:00", words))
        return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(
            f"expected a date (2026-11-27), a date and time (2026-11-27T10:00:00), Unix seconds, "
            f"or an age in s, m, h, d or w (2h, 3d), found {text!r}"
        ) from None


JOBDIR = argument(
    "directory", metavar="DIR", type=Path, help="JOBDIR of the crawl, finished or running"
)


class Output(NamedTuple):
    """The result of an action."""

    document: Any
    """As JSON."""
    text: Callable[[], list[str]]
    """As lines for people."""
    exit_code: int = 0


def print_note(text: str) -> None:
    """Print to standard error, apart from the results."""
    from ranking.printing import say

    say(text.split("\n"), sys.stderr)


def make_importable() -> None:
    """Let modules be imported from the current directory, as Scrapy does in a project.

    It comes last in the path, so that its modules hide no installed package.
    """
    here = os.getcwd()  # noqa: PTH109  # sys.path holds strings
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)


class ActionCommand(ScrapyCommand):
    """A Scrapy command with actions."""

    name: str
    common: tuple[Argument, ...] = ()
    """Arguments of every action."""
    requires_project = False
    requires_crawler_process = False

    @abstractmethod
    def actions(self) -> Sequence[Action]:
        """All actions, in the order of their names."""

    def act(self, opts: argparse.Namespace) -> None:
        """Run `opts.action`; raises LinkRankError."""
        opts.action.run(opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        # Here, because the package of the errors imports NumPy.
        from ranking.errors import LinkRankError

        opts.settings = self.settings
        try:
            self.act(opts)
        except LinkRankError as error:
            self.fail(str(error))
        except KeyboardInterrupt as stopped:
            if str(stopped):
                self.fail(str(stopped))
            self.exitcode = INTERRUPTED

    def fail(self, message: str) -> None:
        """Print an error message and set exit code 1."""
        print_note(f"scrapy {self.name}: {message}")
        self.exitcode = 1

    def short_desc(self) -> str:
        return COMMANDS[self.name][1]

    def syntax(self) -> str:
        return "ACTION ... [options]"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parser.allow_abbrev = False  # an abbreviation of a Scrapy option may be an option here
        parser.add_argument("-h", "--help", action="store_true")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        wants_help = ["--help"] if opts.help else []
        self.parser().parse_args([*args, *wants_help], opts)
        super().process_options([], opts)

    def parser(self) -> argparse.ArgumentParser:
        """Make the parser of all actions; it sets `action` to the named one."""
        prog = f"scrapy {self.name}"
        usage = f"{prog} {self.syntax()}"
        parser = argparse.ArgumentParser(prog, usage, self.long_desc(), allow_abbrev=False)
        super().add_options(parser)  # for the help
        actions = parser.add_subparsers(
            title=f"actions (more of each: {prog} ACTION -h)",
            metavar="ACTION",
            required=True,
            prog=prog,
        )
        for action in self.actions():
            own = actions.add_parser(
                action.name,
                help=action.help.partition("\n")[0],
                description=action.help,
                epilog=f"Scrapy's own options, such as -s and -L, work here too: {prog} -h",
            )
            for add in (*action.arguments, *self.common):
                add(own)
            own.set_defaults(action=action)
        return parser


class _Reason(logging.Handler):
    """Keeps the last critical message of a log."""

    def __init__(self) -> None:
        super().__init__(logging.CRITICAL)
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text = record.getMessage()


def crawl(process: Any, crawler: Crawler, **arguments: Any) -> tuple[int, str]:
    """Run a crawl to its end; returns 0, or 1 and the last critical message of its log.

    `process` is a CrawlerProcess of either kind; `arguments` are the spider's. The message is ""
    without one.
    """
    reason = _Reason()
    logging.getLogger().addHandler(reason)
    crawling = process.crawl(crawler, **arguments)
    # Before Scrapy 2.14 the result is a Deferred, which has failed if the crawl could not begin.
    failed = isinstance(getattr(crawling, "result", None), Failure)
    if not failed:
        process.start()
    failed = failed or process.bootstrap_failed
    return int(failed), reason.text if failed else ""
