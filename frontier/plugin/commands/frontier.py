"""``scrapy frontier``: look into a crawl, finished or running, export it, rank URLs.

Results go to standard output, as tables or (``--json``) as one document; what prevents them goes to
standard error, with exit code 1, or 2 for a wrong command line.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, TextIO

from frontier.plugin.commands import actions
from frontier.plugin.commands.base import INTERRUPTED, Action, ActionCommand, argument
from frontier.plugin.commands.own_modules import make_importable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable


class Command(ActionCommand):
    """Look into a crawl, finished or running; export it; rank URLs."""

    name = "frontier"
    common = (argument("--json", action="store_true", help="print one JSON document"),)
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012  # Scrapy's own declaration

    def actions(self) -> list[Action]:
        modules = [
            import_module(f"{actions.__name__}.{found.name}")
            for found in iter_modules(actions.__path__)
        ]
        values = [value for module in modules for value in vars(module).values()]
        found = (value for value in values if isinstance(value, Action))
        return sorted(found, key=lambda one: one.name)

    def short_desc(self) -> str:
        return "Look into a crawl, export its graph, rank the URLs of a crawl or of WARC files"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        try:
            self._run(opts)
        except KeyboardInterrupt:
            self.exitcode = INTERRUPTED

    def _run(self, opts: argparse.Namespace) -> None:
        from ranking.errors import LinkRankError
        from ranking.printing import as_json

        make_importable()
        opts.settings = self.settings
        try:
            output = opts.action.run(opts)
        except LinkRankError as error:
            _print(f"scrapy frontier: {error}".split("\n"), sys.stderr)
            self.exitcode = 1
            return
        except BrokenPipeError:
            # Whoever read what goes to `--out -` has seen enough.
            _silence(sys.stdout)
            return
        stream = sys.stderr if str(getattr(opts, "out", None)) == "-" else sys.stdout
        _print(as_json(output.said) if opts.json else output.text(), stream)
        self.exitcode = output.exit_code


def _print(lines: Iterable[str], stream: TextIO) -> None:
    """Print, also where whoever reads has had enough."""
    from ranking.printing import say

    try:
        say(lines, stream)
    except BrokenPipeError:
        _silence(stream)


def _silence(stream: TextIO) -> None:
    from ranking.offline.output import silence

    silence(stream)
