"""Commands with actions: ``scrapy frontier top DIR -n 5``.

An action is a function under `action`: its operands and options stand there, its docstring is its
help. Scrapy has one flat parser for a command; here all words go on to the parser of the action
that they name, so that ``-h`` shows what belongs to the action and what does not is refused.
Scrapy's own options (``-s``, ``-L`` ...) are understood wherever they stand.

What an action needs is imported when it runs: the help of all of them should be quick.
"""

from __future__ import annotations

import argparse
import inspect
import logging
import os
import sys
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from scrapy.cmdline import ScrapyArgumentParser
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from twisted.python.failure import Failure

from scrapy_linkrank import COMMANDS

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

INTERRUPTED = 130
"""What a shell reports for a process that Ctrl-C ended."""

Argument = Callable[[Any], argparse.Action]
"""Adds an operand or an option to a parser, and returns it."""


@dataclass(frozen=True)
class Action:
    """What one word behind the name of a command does; its docstring is its help."""

    name: str
    arguments: tuple[Argument, ...]
    run: Callable[..., Any]

    @property
    def help(self) -> str:
        """The first line stands in the list of actions."""
        return inspect.getdoc(self.run) or ""


def action(name: str, *arguments: Argument) -> Callable[[Callable[..., Any]], Action]:
    """Make a function an action, with these operands and options."""
    return lambda run: Action(name, arguments, run)


def argument(*names: str, **how: Any) -> Argument:
    """Declare what argparse's `add_argument` takes; the help tells the default."""
    if how.get("default") is not None:
        how["help"] += " (default: %(default)s)"
    return lambda parser: parser.add_argument(*names, **how)


def number(
    kind: type[int] | type[float], expected: str, holds: Callable[[float], bool]
) -> Callable[[str], float]:
    """Return a reader of numbers for `argument(type=...)` that refuses what does not hold."""

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
share = number(float, "0 to 1", lambda value: 0 <= value <= 1)


def date(text: str) -> float:
    """Read a date, or a date and time, as Unix seconds; it is in UTC unless it says otherwise."""
    from datetime import datetime, timezone

    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a date like 2021-07-01, found {text}") from None
    return (at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp()


JOBDIR = argument(
    "directory", metavar="DIR", type=Path, help="JOBDIR of the crawl, finished or running"
)


class Output(NamedTuple):
    """What an action has found."""

    said: Any
    """As JSON."""
    text: Callable[[], list[str]]
    """As lines for people."""
    exit_code: int = 0


def tell(text: str) -> None:
    """Print on standard error, where it does not mix with results."""
    from ranking.printing import say

    say(text.split("\n"), sys.stderr)


def make_importable() -> None:
    """Let the current directory be imported from, as Scrapy does with that of a project.

    Last, as Scrapy does: nothing that lies there hides an installed package.
    """
    here = os.getcwd()  # noqa: PTH109  # sys.path holds strings
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)


class Parser(ScrapyArgumentParser):
    """A parser whose errors Scrapy prints, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; expected: {self.usage}")


class _Unlisted:
    """A parser whose options the help does not list."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser

    def add_argument_group(self, title: str) -> _Unlisted:
        return self

    def add_argument(self, *names: str, **how: Any) -> argparse.Action:
        return self._parser.add_argument(*names, **{**how, "help": argparse.SUPPRESS})


class ActionCommand(ScrapyCommand):
    """A command of Scrapy's that has actions."""

    name: str
    common: tuple[Argument, ...] = ()
    """What every action takes."""
    requires_project = False
    requires_crawler_process = False

    @abstractmethod
    def actions(self) -> Sequence[Action]:
        """All actions, in the order of their names."""

    @abstractmethod
    def act(self, opts: argparse.Namespace) -> None:
        """Do what `opts.action` is for; raises LinkRankError for what prevents it."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        # Even the errors: their package brings NumPy along.
        from ranking.errors import LinkRankError

        try:
            self.act(opts)
        except LinkRankError as error:
            self.fail(str(error))
        except KeyboardInterrupt as stopped:
            if str(stopped):
                self.fail(str(stopped))
            self.exitcode = INTERRUPTED

    def fail(self, message: str) -> None:
        """Say what went wrong; exit code 1."""
        tell(f"scrapy {self.name}: {message}")
        self.exitcode = 1

    def short_desc(self) -> str:
        return COMMANDS[self.name][1]

    def syntax(self) -> str:
        return "ACTION ... [options]"

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        # A parser that knows no option returns all words as they came; Scrapy's resolves conflicts.
        parser.add_argument("-h", "--help", action="store_true")

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        self.parse(args, opts)
        super().process_options(args, opts)

    def parse(self, args: list[str], opts: argparse.Namespace) -> None:
        """Set in `opts` what the words in `args` say, and `action`, the one they name.

        Raises UsageError for what means nothing, and SystemExit once it has printed help.
        """
        prog = f"scrapy {self.name}"
        parser = Parser(prog=prog, usage=f"{prog} {self.syntax()}", description=self.long_desc())
        parsers = self.fill(parser)
        named = next((word for word in args if word in parsers), None)
        if named is not None:
            args.remove(named)
        if opts.help:
            (parsers[named] if named else parser).print_help()
            raise SystemExit(0)
        if named is None:
            found = next((repr(word) for word in args if not word.startswith("-")), "none")
            raise UsageError(f"expected one of the actions {', '.join(parsers)}, found {found}")
        parsers[named].parse_intermixed_args(args, opts)

    def fill(self, parser: argparse.ArgumentParser) -> dict[str, Parser]:
        """Give a parser Scrapy's options and the actions, whose parsers are returned by name."""
        prog = f"scrapy {self.name}"
        actions = parser.add_subparsers(
            title=f"actions (more of each: {prog} ACTION -h)",
            metavar="ACTION",
            parser_class=Parser,
        )
        ScrapyCommand.add_options(self, parser)
        for one in self.actions():
            own = actions.add_parser(
                one.name,
                prog=f"{prog} {one.name}",
                help=one.help.partition("\n")[0],
                description=one.help,
                epilog=f"Scrapy's own options, such as -s and -L, work here too: {prog} -h",
                add_help=False,
            )
            ScrapyCommand.add_options(self, _Unlisted(own))  # type: ignore[arg-type]  # enough
            own.add_argument("-h", "--help", action="help", help="show this help and exit")
            arguments = [add(own) for add in (*one.arguments, *self.common)]
            needed = [
                " ".join([*arg.option_strings[:1], str(arg.metavar or arg.dest.upper())])
                + "..." * (arg.nargs == "+")
                for arg in arguments
                if arg.required
            ]
            own.usage = " ".join([own.prog, *needed, "[options]"])
            own.set_defaults(action=one)
        return dict(actions.choices)


class _Reason(logging.Handler):
    """Keeps the last message that says why a crawl cannot be, or cannot go on."""

    def __init__(self) -> None:
        super().__init__(logging.CRITICAL)
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text = record.getMessage()


def crawl(process: Any, crawler: Crawler, **arguments: Any) -> tuple[int, str]:
    """Run a crawl to its end: 0, or 1 and the last critical message of its log, "" if none.

    `process` is a CrawlerProcess of Scrapy's of either kind; `arguments` are the spider's.
    """
    reason = _Reason()
    logging.getLogger().addHandler(reason)
    crawling = process.crawl(crawler, **arguments)
    # Only Scrapy before 2.14 tells here, by a Deferred, that a crawl could not begin.
    failed = isinstance(getattr(crawling, "result", None), Failure)
    if not failed:
        process.start()
    failed = failed or process.bootstrap_failed
    return int(failed), reason.text if failed else ""
