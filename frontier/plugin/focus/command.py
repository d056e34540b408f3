"""``scrapy focus SEEDS --topic WORDS``: the ready-made crawl, without a project.

Its settings are those of `frontier.plugin.focus.settings` and of ``-s``. In the directory of a
project, too, the project's pipelines, middlewares and settings are not used.
"""

from __future__ import annotations

import shlex
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from scrapy.commands import BaseRunSpiderCommand
from scrapy.exceptions import UsageError

from frontier.plugin.commands.base import make_importable, positive, print_note
from frontier.store.open import directory_for, make_writable

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from scrapy.settings import BaseSettings, Settings

    from frontier.urls.url_lists import UrlList


ITEMS, LOG = "pages.jsonl", "crawl.log"
"""Files in the directory of a crawl."""


def ready_made(module: str = "frontier.plugin.focus.settings") -> Settings:
    """Scrapy's defaults and those of the ready-made crawl, or of a module built on them."""
    from scrapy.settings import Settings

    settings = Settings()
    settings.setmodule(module, priority="project")
    return settings


def _refuse(message: str) -> NoReturn:
    print_note(f"scrapy focus: {message}")
    raise SystemExit(2)


class Command(BaseRunSpiderCommand):
    """Crawl from seeds for a topic, best pages first."""

    settings_module: ClassVar[str] = "frontier.plugin.focus.settings"
    spider: ClassVar[str] = "frontier.plugin.focus.spider.FocusedSpider"
    """Import paths, which a project built on both replaces by its own."""
    during: ClassVar[Callable[[], AbstractContextManager[object]]] = nullcontext
    """Context of the crawl."""

    def syntax(self) -> str:
        return "SEEDS --topic WORDS [options]"

    def short_desc(self) -> str:
        return "Crawl from seeds for a topic, best pages first"

    def long_desc(self) -> str:
        return (
            "Crawl from SEEDS (a file with one URL a line, or URLs) for a topic, best pages first "
            "and politely. No project is needed; in one, its settings and pipelines are not used."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        parser.error = _refuse  # type: ignore[method-assign]  # one line, not the usage before it
        super().add_options(parser)
        own = parser.add_argument_group("the crawl")
        own.add_argument("--topic", default="", metavar="WORDS", help="words or a sentence")
        own.add_argument(
            "--examples", default="", metavar="FILE|URLS", help="relevant pages to learn from first"
        )
        own.add_argument(
            "--strategy", default="", metavar="NAME", help="in which order URLs are fetched"
        )
        own.add_argument(
            "--pages", type=positive, metavar="N", help="stop after N answers (default: no limit)"
        )
        own.add_argument(
            "--stay", action="store_true", help="fetch only from the domains of the seeds"
        )
        own.add_argument(
            "--dir",
            default="",
            help="for the crawl, its log and its pages; where it holds a crawl, that one is "
            "resumed (default: a new one below crawls/)",
        )

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        from ranking.errors import LinkRankError

        assert self.settings is not None
        # Scrapy has read the project's settings into this object, and makes the process with it.
        for name in list(self.settings):
            del self.settings[name]
        self.settings.update(ready_made(self.settings_module))
        super().process_options(args, opts)
        make_importable()
        try:
            self._seeds = _wanted(self.settings, args, opts)
            self._directory = _prepare(self.settings, opts)
        except LinkRankError as error:
            raise UsageError(str(error), print_help=False) from error

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        from scrapy.utils.misc import load_object

        from frontier.plugin.commands.base import crawl
        from frontier.plugin.extensions.summary import this_scrapy

        directory = shlex.quote(str(self._directory))
        print_note(f"The crawl is kept in {self._directory}")
        print_note(f"To watch it in a browser, run {this_scrapy()} frontier watch {directory}")
        arguments = {"seeds": self._seeds, "stay": "1" if opts.stay else "", **opts.spargs}
        with type(self).during():
            process: Any = self.crawler_process
            crawler = process.create_crawler(load_object(self.spider))
            self.exitcode, reason = crawl(process, crawler, **arguments)
        if reason:  # otherwise only the log has it
            print_note(reason)


def _wanted(settings: BaseSettings, args: list[str], opts: argparse.Namespace) -> UrlList:
    """Write topic and limits into the settings, and return the seeds."""
    from frontier.plugin.focus.spider import ARGUMENTS, require_known, require_topic
    from frontier.urls.url_lists import read_seeds

    unknown = [word for word in args if word.startswith("-")]
    if unknown:
        raise UsageError(f"unknown option {unknown[0]}; see scrapy focus -h", print_help=False)
    options = {name: getattr(opts, name) for name in ("topic", "examples", "strategy")}
    given = opts.spargs = {**{name: text for name, text in options.items() if text}, **opts.spargs}
    require_known(given)
    for name, text in given.items():
        settings.set(ARGUMENTS[name], text, "cmdline")
    if opts.pages:
        settings.set("CLOSESPIDER_PAGECOUNT", opts.pages, "cmdline")
    if len(args) > 1:
        _require_urls(args)
    seeds = read_seeds(",".join(args))
    require_topic(settings.get)
    return seeds


def _require_urls(words: list[str]) -> None:
    from frontier.urls.url_lists import url_fault

    for word in words:
        if url_fault(word):
            raise UsageError(
                f"expected one file of seeds, or URLs, found {' '.join(words)}; a topic of several "
                f'words stands in quotes: --topic "two words"',
                print_help=False,
            )


def _prepare(settings: BaseSettings, opts: argparse.Namespace) -> Path:
    """Make the crawl's directory, which holds log and items."""
    given = opts.dir or settings.get("JOBDIR") or ""
    directory = directory_for(given)
    make_writable(directory)
    settings.set("JOBDIR", str(directory), "cmdline")
    if not settings.get("LOG_FILE"):
        settings.set("LOG_FILE", str(directory / LOG), "cmdline")
    if not settings.getdict("FEEDS"):
        # A percent sign begins a placeholder of Scrapy.
        path = str(directory / ITEMS).replace("%", "%%")
        settings.set("FEEDS", {path: {"format": "jsonlines"}}, "cmdline")
    return directory
