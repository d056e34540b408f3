"""What `scrapy lab run` does: recording, tasks, replays and report, one after the other.

What a crawl of this project would do with settings, robots.txt and retries is taken from its Scrapy
settings. Recorded responses are read as a Scrapy crawl would have read them: which class a response
has, how its text is decoded and what counts as a redirect are Scrapy's own code here, so that a
replayed page says to the frontier what a fetched one would.
"""

from __future__ import annotations

import logging
import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import scrapy
from scrapy.http import Headers, HtmlResponse
from scrapy.responsetypes import responsetypes
from scrapy.utils.response import get_meta_refresh

from frontier.config import DEFAULT_FOCUSED_STRATEGY
from frontier.errors import LabError, PageError
from frontier.lab.protocol.keywords import read_keywords, read_names
from frontier.lab.protocol.labels import judged_labels, read_labels
from frontier.lab.protocol.planning import Protocol, plan
from frontier.lab.replay.contestants import Retries, Setup, chosen_rows, orders_by_path
from frontier.lab.replay.parsing import cache_directory, open_recording
from frontier.lab.replay.records import ALWAYS
from frontier.lab.replay.webfile import WARNINGS, AnswerKind, Parsed
from frontier.lab.replay.workers import run_all
from frontier.lab.report.report import kinds_of, make_report, web_note
from frontier.lab.report.tables import text_report, write_report
from frontier.parsing.bodies import unpacked
from frontier.parsing.reader import ReadingLimits
from frontier.plugin.crawl.response_reader import ResponseReader, declared_content
from frontier.plugin.settings import config_from, unknown_settings
from frontier.robots import RobotsRules
from frontier.robots.parser import product_token
from frontier.urls.resolve import located
from frontier.urls.url_lists import read_seeds
from frontier.warc.payload import codings_of, header
from frontier.warc.records import require_readable
from ranking.offline.extras import reading_bar
from ranking.printing import say
from ranking.threads import available_cores

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from scrapy.http import Response
    from scrapy.settings import BaseSettings

    from frontier.config import CrawlConfig
    from frontier.lab.protocol.labels import Labels
    from frontier.lab.replay.records import RunRecord
    from frontier.lab.replay.webfile import WebFile
    from frontier.web.recorded_web import Recorded

logger = logging.getLogger(__name__)

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
"""As Scrapy's RedirectMiddleware has it."""
DEFAULT_ROWS = (DEFAULT_FOCUSED_STRATEGY, "fc-mean", "best-first", "bfs")
"""What is compared where nothing else is asked for: the default, and what it has to beat."""


def lab_run(operands: Sequence[str], opts: argparse.Namespace, settings: BaseSettings) -> list[str]:
    """Run a lab and return the lines to print.

    Raises LinkRankError for whatever cannot be done.
    """
    _tell(*unknown_settings(settings))
    paths, out = [Path(one) for one in operands], Path(opts.out)
    require_readable(paths)
    rows = chosen_rows((*(names(opts.strategies) or DEFAULT_ROWS), *ALWAYS))
    by_path = orders_by_path(rows)
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
    jobs = opts.jobs or available_cores()
    with reading_bar("replaying", " runs") as progress:
        records = run_all(planned.tasks, web, setup, jobs, progress)
    called = {path: order.name for path, order in by_path.items()}
    report = make_report(
        [_named(record, called) for record in records],
        protocol,
        [web_note(web, planned, labels.bad)],
        kinds_of([called.get(row, row) for row in rows], called.values()),
        notes=["robots.txt is obeyed." if setup.robots else "robots.txt is not obeyed."],
    )
    written = write_report(report, out)
    return [*text_report(report), "", f"Written: {written}"]


def _config(opts: argparse.Namespace, settings: BaseSettings) -> CrawlConfig:
    """What every run has."""
    config = config_from(settings)
    vectors = opts.vectors or config.vectors
    return replace(config, scores="", accept_changes=False, vectors=vectors)


def _named(record: RunRecord, called: dict[str, str]) -> RunRecord:
    """The record of a run under the name of its order, where that was given as a path."""
    row = record.key.strategy
    return replace(record, key=record.key._replace(strategy=called.get(row, row)))


def _require_folder(path: Path) -> None:
    """Raise LabError where results could not be written after all that work."""
    there = next(one for one in (path, *path.absolute().parents) if one.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise LabError(
            f"expected --out DIR for the results, but {there} cannot be written to. Name another"
        )


def _open_web(paths: list[Path], opts: argparse.Namespace, settings: BaseSettings) -> WebFile:
    cache = Path(opts.cache) if opts.cache else cache_directory()
    with reading_bar("parsing", " pages") as progress:
        most = ReadingLimits().body
        web = open_recording(paths, *parser_of(settings), cache, progress, most, _tell)
    _tell(*(f"not replayed: {warning}" for warning in web.extra.get(WARNINGS, ())))
    return web


def _labels(opts: argparse.Namespace) -> Labels:
    if not opts.topics:
        raise LabError(
            "expected --topics FILE, a line URL<TAB>topic for every relevant page: without labels "
            "nothing can be measured"
        )
    if Path(opts.topics).is_dir():
        return judged_labels(Path(opts.topics))
    labels = read_labels(Path(opts.topics))
    _tell(*(f"{opts.topics}: {bad}" for bad in labels.bad))
    return labels


def _protocol(rows: tuple[str, ...], opts: argparse.Namespace) -> Protocol:
    seeds: tuple[str, ...] = ()
    if opts.seeds is not None:
        listing = read_seeds(opts.seeds)
        seeds, source = listing.urls, opts.seeds
        _tell(*(f"{source}: line {n} skipped: {text!r} {why}" for n, text, why in listing.skipped))
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
    """What a file gives topics by; lines that do not are told."""
    if path is None:
        return {}
    words, bad = read(Path(path))
    _tell(*(f"{path}: {line}" for line in bad))
    return words


def _retries(settings: BaseSettings) -> Retries:
    statuses = sorted({int(one) for one in settings.getlist("RETRY_HTTP_CODES")})
    enabled = settings.getbool("RETRY_ENABLED")
    return Retries(settings.getint("RETRY_TIMES") if enabled else 0, tuple(statuses))


def _robots(settings: BaseSettings) -> Callable[[bytes], Callable[[str], bool]] | None:
    if not settings.getbool("ROBOTSTXT_OBEY"):
        return None
    agent = settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT")
    return partial(robots_rules, agent=str(agent))


def robots_rules(body: bytes, agent: str) -> Callable[[str], bool]:
    """What a robots.txt says to the crawler of that User-Agent."""
    return RobotsRules.parse(body, product_token(agent)).allows


def _tell(*notes: str) -> None:
    say(notes, sys.stderr)


def names(listed: str | None) -> list[str]:
    """The parts of a list with commas, each once."""
    parts = (part.strip() for part in (listed or "").split(","))
    return list(dict.fromkeys(part for part in parts if part))


def parser_of(settings: BaseSettings) -> tuple[Callable[[Recorded], Parsed], str]:
    """What reads recorded responses, and a text that says how, for the name of the result."""
    reader = ResponseReader()
    max_url = settings.getint("URLLENGTH_LIMIT")
    soon = settings.getint("METAREFRESH_MAXDELAY")
    parse = partial(parse_recorded, reader=reader, max_url=max_url, soon=soon)
    return parse, f"{scrapy.__version__} {reader.limits} {max_url} {soon}"


def parse_recorded(recorded: Recorded, reader: ResponseReader, max_url: int, soon: int) -> Parsed:
    """Read one recorded response; never raises on what it holds.

    Links of at most `max_url` characters (0: any) are kept. A page that refreshes itself within
    `soon` seconds is a redirect.
    """
    if recorded.status >= 400:
        return Parsed(AnswerKind.FAILED, recorded.status)
    if recorded.status >= 300:
        return _redirect(recorded.url, recorded.status, header(recorded.headers, "location"))
    try:
        return _page(_response(recorded, reader.limits.body), reader, max_url, soon)
    except PageError:
        pass
    except Exception:  # parsers of others
        logger.exception("%s is replayed as a page without content", recorded.url)
    return Parsed(AnswerKind.PAGE, recorded.status)


def _redirect(url: str, status: int, location: str) -> Parsed:
    target = located(url, _as_sent(location)) if location else None
    if target is None or status not in _REDIRECTS:
        return Parsed(AnswerKind.FAILED, status)
    return Parsed(AnswerKind.REDIRECT, status, location=target)


def _as_sent(value: str) -> bytes:
    """Bytes of a header, however the recording's reader decoded them."""
    try:
        return value.encode("latin-1")
    except UnicodeEncodeError:
        return value.encode("utf-8", "replace")


def _response(recorded: Recorded, most: int) -> Response:
    headers = Headers()
    for name, value in recorded.headers:
        # As Scrapy's HttpCompressionMiddleware leaves them, which has unpacked the body by then.
        if name.lower() != "content-encoding":
            headers.appendlist(name, value)
    body = unpacked(recorded.body, codings_of(recorded.headers), most)
    kind = responsetypes.from_args(headers=headers, url=recorded.url, body=body)
    return kind(recorded.url, status=recorded.status, headers=headers, body=body)


def _page(response: Response, reader: ResponseReader, max_url: int, soon: int) -> Parsed:
    delay, target = _refresh(response)
    if delay is not None and delay < soon and target not in ("", response.url):
        return Parsed(AnswerKind.REDIRECT, response.status, location=target)
    content = declared_content(reader.read(response), response)
    links = [one for one in content.links if not max_url or len(one.url) <= max_url]
    if len(links) < len(content.links):
        content = replace(content, links=links)
    return Parsed(AnswerKind.PAGE, response.status, content)


def _refresh(response: Response) -> tuple[float | None, str]:
    """When a page sends its readers elsewhere, and where, as MetaRefreshMiddleware sees it."""
    if not isinstance(response, HtmlResponse):
        return None, ""
    delay, target = get_meta_refresh(response, ("noscript",))
    return delay, (target or "").partition("#")[0]
