"""The steps of `scrapy lab run`: recording, tasks, replays and report.

Retries, robots.txt and all other settings are those of the project.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from frontier.config import DEFAULT_FOCUSED_STRATEGY
from frontier.errors import LabError
from frontier.lab.protocol.keywords import read_keywords, read_names
from frontier.lab.protocol.labels import read_labels
from frontier.lab.protocol.planning import Protocol, plan
from frontier.lab.replay.contestants import Retries, Setup, chosen_rows
from frontier.lab.replay.parsing import cache_directory, open_recording
from frontier.lab.replay.records import ALWAYS
from frontier.lab.replay.webfile import WARNINGS
from frontier.lab.replay.workers import run_all
from frontier.lab.report.report import kinds_of, make_report, web_note
from frontier.lab.report.tables import PAGE, text_report, write_report
from frontier.parsing.reader import ReadingLimits
from frontier.plugin.recorded import parser_of
from frontier.plugin.settings import config_from, unknown_settings
from frontier.robots import RobotsRules
from frontier.robots.parser import product_token
from frontier.urls.url_lists import read_seeds
from frontier.warc.records import require_readable
from ranking.offline.extras import reading_bar
from ranking.printing import say

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from scrapy.settings import BaseSettings

    from frontier.config import CrawlConfig
    from frontier.lab.protocol.labels import Labels
    from frontier.lab.replay.webfile import WebFile

DEFAULT_ROWS = (DEFAULT_FOCUSED_STRATEGY, "fc-mean", "best-first", "bfs")
"""Rows compared by default: the default strategy, and those it has to beat."""


def lab_run(operands: Sequence[str], opts: argparse.Namespace, settings: BaseSettings) -> list[str]:
    """Run a lab and return the lines to print.

    Raises LinkRankError.
    """
    _print(*unknown_settings(settings))
    paths, out = [Path(operand) for operand in operands], Path(opts.out)
    require_readable(paths)
    rows = chosen_rows((*(names(opts.strategies) or DEFAULT_ROWS), *ALWAYS))
    labels = _labels(opts)
    protocol = _protocol(rows, opts)
    setup = Setup(
        config=_config(opts, settings),
        retries=_retries(settings),
        robots=_robots(settings),
    )
    _require_folder(out)
    web = _open_web(paths, opts, settings)
    planned = plan(web, labels, protocol)
    jobs = opts.jobs or _available_cores()
    with reading_bar("replaying", " runs") as progress:
        records = run_all(planned.tasks, web, setup, jobs, progress)
    report = make_report(
        records,
        protocol,
        [web_note(web, planned, labels.bad)],
        kinds_of(rows),
        notes=["robots.txt is obeyed." if setup.robots else "robots.txt is not obeyed."],
    )
    written = write_report(report, out)
    shown = written.with_name(PAGE)
    return [*text_report(report), "", f"Written: {written}", f"To look at it, open {shown}"]


def _available_cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS or Windows
        return os.cpu_count() or 1


def _config(opts: argparse.Namespace, settings: BaseSettings) -> CrawlConfig:
    """The config of every run."""
    config = config_from(settings)
    vectors = opts.vectors or config.vectors
    return replace(config, scores="", accept_changes=False, vectors=vectors)


def _require_folder(path: Path) -> None:
    """Raise LabError if the results could not be written after all that work."""
    there = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise LabError(
            f"expected --out DIR for the results, but {there} cannot be written to. Name another"
        )


def _open_web(paths: list[Path], opts: argparse.Namespace, settings: BaseSettings) -> WebFile:
    cache = Path(opts.cache) if opts.cache else cache_directory()
    with reading_bar("parsing", " pages") as progress:
        most = ReadingLimits().body
        web = open_recording(paths, *parser_of(settings), cache, progress, most, _print)
    _print(*(f"not replayed: {warning}" for warning in web.extra.get(WARNINGS, ())))
    return web


def _labels(opts: argparse.Namespace) -> Labels:
    if not opts.topics:
        raise LabError(
            "expected --topics FILE, a line URL<TAB>topic for every relevant page: without labels "
            "nothing can be measured"
        )
    labels = read_labels(Path(opts.topics))
    _print(*(f"{opts.topics}: {bad}" for bad in labels.bad))
    return labels


def _protocol(rows: tuple[str, ...], opts: argparse.Namespace) -> Protocol:
    seeds: tuple[str, ...] = ()
    if opts.seeds is not None:
        listing = read_seeds(opts.seeds)
        seeds, source = listing.urls, opts.seeds
        _print(*(f"{source}: line {n} skipped: {text!r} {why}" for n, text, why in listing.skipped))
    return Protocol(
        strategies=rows,
        variants=tuple(names(opts.variant)) or Protocol.variants,
        budget=opts.budget,
        draws=opts.draws,
        drawn=opts.seeds_per_topic or Protocol.drawn,
        part=opts.split,
        topics=opts.limit,
        fewest=opts.min_pages,
        most=opts.max_pages,
        seeds=seeds,
        keywords=_words(opts.keywords, read_keywords),
        names=_words(opts.names, read_names),
    )


def _words(
    path: str | None, read: Callable[[Path], tuple[dict[str, str], Sequence[object]]]
) -> dict[str, str]:
    """Topic -> words of a file; unusable lines are printed."""
    if path is None:
        return {}
    words, bad = read(Path(path))
    _print(*(f"{path}: {line}" for line in bad))
    return words


def _retries(settings: BaseSettings) -> Retries:
    statuses = sorted({int(code) for code in settings.getlist("RETRY_HTTP_CODES")})
    enabled = settings.getbool("RETRY_ENABLED")
    return Retries(settings.getint("RETRY_TIMES") if enabled else 0, tuple(statuses))


def _robots(settings: BaseSettings) -> Callable[[bytes], Callable[[str], bool]] | None:
    if not settings.getbool("ROBOTSTXT_OBEY"):
        return None
    agent = settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT")
    return partial(robots_rules, agent=str(agent))


def robots_rules(body: bytes, agent: str) -> Callable[[str], bool]:
    """The function that says which URLs a robots.txt allows to a User-Agent."""
    return RobotsRules.parse(body, product_token(agent)).allows


def _print(*notes: str) -> None:
    say(notes, sys.stderr)


def names(listed: str | None) -> list[str]:
    """The parts of a list with commas, each once."""
    parts = (part.strip() for part in (listed or "").split(","))
    return list(dict.fromkeys(part for part in parts if part))
