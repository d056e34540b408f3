"""Commands with actions: ``scrapy frontier top DIR -n 5``.

An action is a function under `action`: its operands and options stand there, its docstring is its
help. Scrapy has one flat parser for a command; here all words go on to the parser of the action
that they name, so that ``-h`` shows what belongs to the action and what does not is refused.
Scrapy's own options (``-s``, ``-L`` ...) are understood wherever they stand.

Scrapy imports every command on every start, whichever is run: what an action needs is imported when
it runs, or each crawl would pay for it.
"""

from __future__ import annotations

import argparse
import inspect
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from scrapy.cmdline import ScrapyArgumentParser
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

INTERRUPTED = 130
"""What a shell reports for a process that Ctrl-C ended."""


@dataclass(frozen=True)
class Argument:
    """An operand or an option, as argparse's `add_argument` takes it."""

    names: tuple[str, ...]
    how: dict[str, Any]

    def add_to(self, parser: argparse._ActionsContainer) -> None:
        """Add it to a parser, or to a group of one."""
        parser.add_argument(*self.names, **self.how)

    @property
    def needed(self) -> list[str]:
        """How it is written on a command line that cannot do without it."""
        name = self.names[0]
        metavar = self.how.get("metavar", name.lstrip("-").upper())
        if name.startswith("-"):
            return [name, metavar] if self.how.get("required") else []
        return [metavar + "..." * (self.how.get("nargs") == "+")]


@dataclass(frozen=True)
class Group:
    """Options under a title; without one, options that exclude each other."""

    title: str | None
    arguments: tuple[Argument, ...]

    def add_to(self, parser: argparse._ActionsContainer) -> None:
        """Add them to a parser."""
        titled = self.title is not None
        group = (
            parser.add_argument_group(self.title)
            if titled
            else parser.add_mutually_exclusive_group()
        )
        for one in self.arguments:
            one.add_to(group)

    @property
    def needed(self) -> list[str]:
        """As of `Argument`."""
        return [word for one in self.arguments for word in one.needed]


@dataclass(frozen=True)
class Action:
    """What one word behind the name of a command does."""

    name: str
    arguments: tuple[Argument | Group, ...]
    run: Callable[..., Any]

    @property
    def help(self) -> str:
        """Its docstring, of which the first line stands in the list of actions."""
        return inspect.getdoc(self.run) or ""

    @property
    def syntax(self) -> str:
        """Its name, and what it cannot do without."""
        needed = [word for one in self.arguments for word in one.needed]
        return " ".join([self.name, *needed, "[options]"])


def action(name: str, *arguments: Argument | Group) -> Callable[[Callable[..., Any]], Action]:
    """Make a function an action, with these operands and options."""
    return lambda run: Action(name, arguments, run)


def argument(*names: str, **how: Any) -> Argument:
    """Declare an operand or an option; its help tells the default."""
    if how.get("default") is not None:
        how["help"] += " (default: %(default)s)"
    return Argument(names, how)


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


class Parser(ScrapyArgumentParser):
    """A parser whose errors Scrapy prints, with exit code 2."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; expected: {self.usage}")


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
        parser, parsers = self.parsers()
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

    def parsers(self) -> tuple[Parser, dict[str, Parser]]:
        """Return the parser of the command, and those of its actions by name."""
        prog = f"scrapy {self.name}"
        parser = Parser(prog=prog, usage=f"{prog} {self.syntax()}", description=self.long_desc())
        return parser, self.fill(parser)

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
                usage=f"{prog} {one.syntax}",
                help=one.help.partition("\n")[0],
                description=one.help,
                epilog=f"Scrapy's own options, such as -s and -L, work here too: {prog} -h",
                add_help=False,
            )
            self._fill_action(own, one)
        return dict(actions.choices)

    def _fill_action(self, parser: Parser, one: Action) -> None:
        ScrapyCommand.add_options(self, parser)
        for scrapys in parser._actions:
            scrapys.help = argparse.SUPPRESS
        parser.add_argument("-h", "--help", action="help", help="show this help and exit")
        for argument in (*one.arguments, *self.common):
            argument.add_to(parser)
        parser.set_defaults(action=one)
