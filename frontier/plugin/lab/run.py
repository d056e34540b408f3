"""What `scrapy lab run` does: recording, questions, replays and report, one after the other.

Nothing is decided here. The recording is read by `frontier.lab.replay`, what is asked comes from
`frontier.lab.protocol`, the answers are scored by `frontier.lab.report`; what a crawl of this
project would do with settings, robots.txt and retries is taken from its Scrapy settings.
"""

from __future__ import annotations

import os
import sys
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frontier.config import DEFAULT_FOCUSED_STRATEGY
from frontier.errors import LabError
from frontier.lab.past_crawl import RECORDED, open_past_crawl, recorded_plan
from frontier.lab.protocol import Protocol, plan, read_keywords, read_labels
from frontier.lab.replay.contestants import HIDE, Setup, chosen_rows
from frontier.lab.replay.orders_by_path import OrderByPath, orders_by_path
from frontier.lab.replay.parsing import cache_directory, digest_of, open_recording
from frontier.lab.replay.records import ALWAYS
from frontier.lab.replay.regret_causes import with_causes
from frontier.lab.replay.run_folder import RunFolder, clear, code_digest
from frontier.lab.replay.simulated_fetcher import Politeness
from frontier.lab.replay.webwriter import WARNINGS
from frontier.lab.replay.workers import run_all, usable_cores
from frontier.lab.report import (
    REPLAYS,
    entries_of,
    make_report,
    regret_of,
    text_report,
    web_note,
    write_report,
)
from frontier.plugin.lab.parsing import parser_of
from frontier.plugin.lab.scrapy_order import ROW, WORDS, scrapy_order
from frontier.plugin.settings.reading import limits_from
from frontier.plugin.settings.registry import config_from, unknown_settings
from frontier.robots import Rules
from frontier.robots.user_agent import product_token
from frontier.urls.url_lists import read_seeds
from frontier.warc.scan import require_readable
from ranking.offline.progress import reading_bar
from ranking.orders import ORDERS
from ranking.printing import say

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from scrapy.settings import BaseSettings

    from frontier.lab.protocol import Labels, Plan
    from frontier.lab.replay.records import RunRecord, Task
    from frontier.lab.replay.webfile import WebFile
    from frontier.lab.report import Regret

DEFAULT_ROWS = (DEFAULT_FOCUSED_STRATEGY, "fc-mean", "best-first", "bfs")
"""What is compared where nothing else is asked for: the default, and what it has to beat."""


class Interrupted(Exception):  # noqa: N818  # no error: somebody pressed Ctrl-C
    """A lab run was stopped by hand; the message says how to go on."""


def lab_run(operands: Sequence[str], opts: argparse.Namespace, settings: BaseSettings) -> list[str]:
    """Run a lab and return the lines to print.

    Raises LinkRankError for whatever cannot be done, Interrupted for Ctrl-C during the replays.
    """
    for fault in unknown_settings(settings):
        _tell(fault)
    paths = [Path(one) for one in operands]
    of_crawl = _is_crawl(paths)
    brought = {ROW: scrapy_order}
    asked = names(opts.strategies) or DEFAULT_ROWS
    rows = chosen_rows((*asked, *ALWAYS), brought)
    by_path = orders_by_path(rows)
    labels = _labels(opts, of_crawl=of_crawl)
    protocol = _protocol(rows, opts)
    setup = Setup(
        config=replace(config_from(settings), scores="", accept_changes=False),
        politeness=_politeness(opts),
        retries=settings.getint("RETRY_TIMES") if settings.getbool("RETRY_ENABLED") else 0,
        robots=_robots(settings),
        rows=brought,
        unrecorded=opts.unrecorded,
    )
    _require_folder(Path(opts.out))
    web = _open_web(paths, opts, settings, of_crawl=of_crawl)
    protocol, planned = _plan(web, labels, protocol)
    tasks = [_with_code(task, by_path) for task in planned.tasks]
    named = {path: order.name for path, order in by_path.items()}
    lab = _Lab(
        *(web, setup, Path(opts.out), _common(web, opts, protocol), opts.jobs or usable_cores()),
        named,
    )
    if opts.fresh:
        clear(lab.out)
    records = lab.records(tasks, setup, lab.out, "replaying")
    regrets = _regrets(lab, tasks, _as_configured(opts, settings)) if opts.regret else []
    rows = tuple(named.get(row, row) for row in rows)
    report = make_report(
        records,
        protocol,
        [web_note(web, planned, labels.bad if labels else ())],
        entries_of(rows, {ROW: WORDS}, {one.name: one.summary for one in by_path.values()}),
        regrets=regrets,
        notes=_notes(web, setup),
    )
    written = write_report(report, lab.out)
    return [*text_report(report), "", f"Written: {', '.join(map(str, written))}"]


@dataclass(frozen=True)
class _Lab:
    """One web, and where its runs are kept."""

    web: WebFile
    setup: Setup
    out: Path
    common: dict[str, Any]
    jobs: int
    named: dict[str, str]
    """Import paths of orders -> their names in the report."""

    def records(self, tasks: list[Task], setup: Setup, out: Path, label: str) -> list[RunRecord]:
        """Run what is not there yet, with a bar at a terminal."""
        folder = RunFolder(out, self.common | _said(setup))
        try:
            with reading_bar(label, " runs") as progress:
                webs = {self.web.name: self.web}
                records = run_all(tasks, webs, setup, folder, self.jobs, progress)
            return [_named(record, self.named) for record in records]
        except KeyboardInterrupt:
            done = sum(folder.record(task) is not None for task in tasks)
            raise Interrupted(
                f"interrupted: {done:,} of {len(tasks):,} runs are done and kept in {out}. The "
                f"same command goes on with the rest"
            ) from None


def _with_code(task: Task, by_path: dict[str, OrderByPath]) -> Task:
    order = by_path.get(task.strategy)
    return task if order is None else replace(task, code=order.code)


def _named(record: RunRecord, names: dict[str, str]) -> RunRecord:
    strategy = record.key.strategy
    if strategy not in names:
        return record
    return replace(record, key=record.key._replace(strategy=names[strategy]))


def _is_crawl(paths: list[Path]) -> bool:
    """Whether what is to be replayed is a crawl's directory, and not WARC files."""
    crawls = [path for path in paths if path.is_dir()]
    if crawls and len(paths) > 1:
        raise LabError(
            f"expected WARC files or one directory of a crawl, found {crawls[0]} beside others. "
            "Replay them one by one"
        )
    if not crawls:
        require_readable(paths)
    return bool(crawls)


def _require_folder(path: Path) -> None:
    """Raise LabError where results could not be written after all that work."""
    there = next(one for one in (path, *path.absolute().parents) if one.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise LabError(
            f"expected --out DIR for the results, but {there} cannot be written to. Name another"
        )


def _open_web(
    paths: list[Path], opts: argparse.Namespace, settings: BaseSettings, *, of_crawl: bool
) -> WebFile:
    cache = Path(opts.cache) if opts.cache else cache_directory()
    with reading_bar("parsing", " pages") as progress:
        if of_crawl:
            web = open_past_crawl(paths[0], cache, progress)
        else:
            most = limits_from(settings).body
            web = open_recording(paths, *parser_of(settings), cache, progress, most, _tell)
    for warning in web.extra.get(WARNINGS, ()):
        _tell(f"not replayed: {warning}")
    return web


def _labels(opts: argparse.Namespace, *, of_crawl: bool) -> Labels | None:
    if not opts.topics:
        if of_crawl:
            return None
        raise LabError(
            "expected --topics FILE, a line URL<TAB>topic for every page worth fetching: without "
            "labels nothing can be measured"
        )
    labels = read_labels(Path(opts.topics))
    for bad in labels.bad:
        _tell(f"{opts.topics}: {bad}")
    return labels


def _protocol(rows: tuple[str, ...], opts: argparse.Namespace) -> Protocol:
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
        seeds=_seeds(opts.seeds),
        keywords=_keywords(opts.keywords),
    )


def _plan(web: WebFile, labels: Labels | None, protocol: Protocol) -> tuple[Protocol, Plan]:
    if web.is_past_crawl:
        protocol = replace(protocol, variants=(RECORDED,))
        return protocol, recorded_plan(web, labels, protocol)
    assert labels is not None, "required where nothing else says what is relevant"
    return protocol, plan(web, labels, protocol)


def _seeds(source: str | None) -> tuple[str, ...]:
    if source is None:
        return ()
    listing = read_seeds(source)
    for line, text, reason in listing.skipped:
        _tell(f"{source}: line {line} skipped: {text!r} {reason}")
    return listing.urls


def _keywords(source: str | None) -> dict[str, str]:
    if source is None:
        return {}
    words, bad = read_keywords(Path(source))
    for one in bad:
        _tell(f"{source}: {one}")
    return words


def _politeness(opts: argparse.Namespace) -> Politeness:
    return Politeness(
        concurrency=opts.concurrency or 1,
        per_host=opts.per_host or 1,
        delay=opts.delay or 0.0,
        latency=opts.latency,
    )


def _as_configured(opts: argparse.Namespace, settings: BaseSettings) -> Politeness:
    """As the options say, where they say it, else as the project's settings do."""
    return Politeness(
        concurrency=opts.concurrency or settings.getint("CONCURRENT_REQUESTS"),
        per_host=opts.per_host or settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"),
        delay=settings.getfloat("DOWNLOAD_DELAY") if opts.delay is None else opts.delay,
        latency=opts.latency,
    )


def _regrets(lab: _Lab, tasks: list[Task], configured: Politeness) -> list[Regret]:
    """Replay our orders once for each cause of regret."""
    ours = [task for task in tasks if task.strategy in ORDERS or task.strategy in lab.named]
    found = {}
    for name in REPLAYS:
        setup = with_causes(lab.setup, REPLAYS[name], configured)
        out = lab.out / "regret" / name.replace(" ", "-")
        found[name] = lab.records(ours, setup, out, f"regret, {name}")
    return regret_of(found)


def _robots(settings: BaseSettings) -> Callable[[bytes], Callable[[str], bool]] | None:
    if not settings.getbool("ROBOTSTXT_OBEY"):
        return None
    agent = settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT")
    return partial(robots_rules, agent=str(agent))


def robots_rules(body: bytes, agent: str) -> Callable[[str], bool]:
    """What a robots.txt says to the crawler of that User-Agent."""
    return Rules.parse(body, product_token(agent)).allows


def _common(web: WebFile, opts: argparse.Namespace, protocol: Protocol) -> dict[str, Any]:
    """What all runs in the folder share; whatever is not here may grow from run to run."""
    files = {"topics": opts.topics, "keywords": opts.keywords}
    said = {name: digest_of([Path(path)]) if path else None for name, path in files.items()}
    return {
        "web": web.path.stem,
        "code": code_digest(),
        "budget": protocol.budget,
        "seeds": list(protocol.seeds),
        "seeds per topic": protocol.drawn,
        **said,
    }


def _said(setup: Setup) -> dict[str, Any]:
    left_out = {"strategy", "topic", "examples", "directory", "random_seed", "scores"}
    config = {k: v for k, v in asdict(setup.config).items() if k not in left_out}
    return {
        "settings": config,
        "fetching": asdict(setup.politeness),
        "retries": setup.retries,
        "robots.txt": setup.robots is not None,
        "unrecorded": setup.unrecorded,
    }


def _notes(web: WebFile, setup: Setup) -> list[str]:
    fetching = setup.politeness
    how = (
        "one request at a time, no delay: the ideal order"
        if fetching == Politeness(latency=fetching.latency)
        else f"{fetching.concurrency} requests at once, {fetching.per_host} to a host, "
        f"{fetching.delay:g} s between two to one host"
    )
    robots = "obeyed" if setup.robots else "not asked"
    notes = [f"Fetched: {how}; {fetching.latency:g} s to an answer; robots.txt {robots}."]
    if setup.unrecorded == HIDE:
        notes.append(
            "Links to what was never recorded were hidden: no order could waste a request on them."
        )
    if web.is_past_crawl:
        notes.append(
            "The web is a past crawl, which kept no texts: pages are judged as that crawl judged "
            "them, and what it never fetched is not there. Orders that would have gone elsewhere "
            "look worse than they are: see what was not recorded."
        )
    return notes


def _tell(note: str) -> None:
    say([note], sys.stderr)


def names(listed: str | None) -> list[str]:
    """The parts of a list with commas, each once."""
    parts = (part.strip() for part in (listed or "").split(","))
    return list(dict.fromkeys(part for part in parts if part))
