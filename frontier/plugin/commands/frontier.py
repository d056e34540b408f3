"""``scrapy frontier``: inspect, search and export a crawl, finished or running.

Results go to standard output, as tables or (``--json``) as one document; errors go to standard
error, with exit code 1, or 2 for a wrong command line.
"""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from frontier.plugin.commands import actions
from frontier.plugin.commands.base import Action, ActionCommand, argument, make_importable

if TYPE_CHECKING:
    import argparse

_OPTION = re.compile(r"-(?:-.*|[nsLh]|n\d+|s\w+=.*|L[A-Z]+)?", re.DOTALL)


class Command(ActionCommand):
    """Look into a crawl, finished or running; export it."""

    name = "frontier"
    common = (argument("--json", action="store_true", help="print one JSON document"),)
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012  # Scrapy's own declaration

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        parse = parser.parse_known_args

        def parse_words(args: list[str]) -> tuple[argparse.Namespace, list[str]]:
            """Read `search DIR -word` as a query, not as options of Scrapy."""
            return parse(with_words(args))

        parser.parse_known_args = parse_words  # type: ignore[method-assign,assignment]

    def actions(self) -> list[Action]:
        modules = [
            import_module(f"{actions.__name__}.{module.name}")
            for module in iter_modules(actions.__path__)
        ]
        values = [value for module in modules for value in vars(module).values()]
        chosen = (value for value in values if isinstance(value, Action))
        return sorted(chosen, key=lambda action: action.name)

    def act(self, opts: argparse.Namespace) -> None:
        from ranking.offline.files import silence
        from ranking.printing import as_json, say

        make_importable()
        stream = sys.stdout
        try:
            output = opts.action.run(opts)
            self.exitcode = output.exit_code
            if str(getattr(opts, "out", None)) == "-":
                stream = sys.stderr
            say(as_json(output.document) if opts.json else output.text(), stream)
        except BrokenPipeError:
            # The reader of the output, or of `--out -`, has closed the pipe.
            silence(stream)


def with_words(args: list[str]) -> list[str]:
    """Return arguments with a blank before each `-word` of a search, so that none is an option.

    A word with blanks, `-"two words"` in a shell, gets its quotes again.
    """
    if "search" not in args:
        return args
    words_at = args.index("search") + 2
    return args[:words_at] + [
        word
        if not word.startswith("-") or _OPTION.fullmatch(word)
        else f' -"{word[1:]}"'
        if " " in word and '"' not in word and " -" not in word
        else f" {word}"
        for word in args[words_at:]
    ]
