"""A past crawl as a web to replay: what it fetched, where that led, how it was judged.

The directory of a crawl holds no texts, but what the topic model made of them: the relevance of
every page and, of every link, its promise, its cues and its voice. A replay takes these as they
are, so it tells how other orders would have walked through the same pages with the same judgements.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING

from frontier.errors import LabError
from frontier.inspection.resumed import stored_config
from frontier.lab.protocol.labels import Sides, split_topics
from frontier.lab.protocol.planning import NoCase, Plan, pages_of
from frontier.lab.replay.parsing import digest_of, keep_file
from frontier.lab.replay.records import Task
from frontier.lab.replay.web import Kind, Parsed, Spoken
from frontier.lab.replay.webfile import PAST, UNREACHED, WARNINGS, WebFile
from frontier.parsing.html import Link, PageContent
from frontier.states import NAMED, NOFOLLOW, Mark, State
from frontier.store import StoreReader

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from frontier.lab.protocol.labels import Labels
    from frontier.lab.protocol.planning import Protocol
    from frontier.lab.replay.webfile import WebWriter
    from frontier.records import Links, PageRecord
    from ranking.offline.extras import Progress

RECORDED = "recorded"
"""The variant of a past crawl: from its own seeds, with its own judgements."""
AS_JUDGED = "as judged"
"""The topic of a past crawl without labels: pages that the crawl itself found relevant."""
_REFUSED = 403
"""Status under which a page is replayed that robots.txt or a filter kept from being fetched."""


def open_past_crawl(directory: Path, cache: Path, progress: Progress | None = None) -> WebFile:
    """The web of a crawl's directory, finished or running.

    Raises StoreMissingError where no crawl has begun, other StoreErrors for files that are none,
    RecordingError where nothing was fetched.
    """
    with StoreReader.open(directory) as reader:
        # What was committed lies in the file and in its log; the index of the log is no content.
        files = (reader.path, reader.path.with_name(f"{reader.path.name}-wal"))
        path = cache / f"{digest_of(file for file in files if file.exists())}.labweb"
        keep_file(path, lambda writer: _write(reader, writer, progress))
    return WebFile(path, directory.resolve().name)


def _write(reader: StoreReader, writer: WebWriter, progress: Progress | None) -> None:
    config = stored_config(reader)
    urls: list[str] = []
    zones: list[int] = []
    seeds = []
    for row in reader.iter_urls():
        urls.append(row.known_as)
        zones.append(row.zone)
        if row.seed:
            seeds.append(urls[-1])
    for done, page in enumerate(reader.iter_pages()):
        writer.add(urls[page.url_id], _parsed(page, urls, zones))
        if progress is not None:
            progress(done + 1, None)
    past = {"seeds": seeds, "relevant": config.relevant, "focused": config.focused}
    writer.finish(lambda _: None, {PAST: past, WARNINGS: []})


def _parsed(page: PageRecord, urls: list[str], zones: list[int]) -> Parsed:
    status = page.status or 0
    links = page.links
    double = Mark.CANONICAL_ELSEWHERE in page.marks
    if page.state is State.REDIRECTED and not double and links is not None and len(links.targets):
        return Parsed(Kind.REDIRECT, status or 301, location=urls[links.targets[0]])
    if page.state is not State.CRAWLED and not double:
        return Parsed(Kind.FAILED, status if page.state is State.ERROR else _REFUSED)
    content = PageContent(page.title or "", "", [])
    if links is None:
        return Parsed(Kind.PAGE, status, content, relevance=page.relevance)
    named = (links.flags & NAMED) > 0
    canonical = urls[links.targets[named][0]] if named.any() else None
    found = list(compress(_links(links, urls, zones), ~named))
    return Parsed(
        Kind.PAGE,
        status,
        replace(content, links=found, canonical=canonical),
        relevance=page.relevance,
        similarity=page.similarity,
        spoken=_spoken(links, ~named),
    )


def _links(links: Links, urls: list[str], zones: list[int]) -> Iterator[Link]:
    said = links.said
    texts = links.anchors or ("",) * len(links.targets)
    around = (said.contexts if said else None) or ("",) * len(links.targets)
    columns = links.targets.tolist(), links.flags.tolist(), texts, around
    for target, flags, anchor, context in zip(*columns, strict=True):
        yield Link(urls[target], anchor, context, bool(flags & NOFOLLOW), zones[target])


def _spoken(links: Links, chosen: NDArray[np.bool_]) -> Spoken | None:
    if links.said is None:
        return None
    cues = [tuple(one) for one in links.said.cues.tolist()]
    spoken = Spoken(links.promises.tolist(), cues, links.said.voices.tolist())
    return spoken.where(chosen)


def recorded_plan(web: WebFile, labels: Labels | None, protocol: Protocol) -> Plan:
    """Make the tasks of a past crawl: from its own seeds, with its own judgements.

    Topics are those of the labels; without labels there is one, the pages that the crawl itself
    judged relevant. Raises LabError where nothing is left to find.
    """
    starts = _starts(web, protocol)
    if labels is None:
        topics, sides = {AS_JUDGED: _judged(web)}, Sides((AS_JUDGED,), ())
    else:
        topics = {topic: pages_of(web, urls) for topic, urls in labels.topics.items()}
        sides = split_topics(labels, protocol.fewest, protocol.most)
    seeds = tuple(web.urls[number] for number in starts)
    hops = web.hops_from(starts)
    tasks: list[Task] = []
    dropped = []
    for topic in sides.part(protocol.part, protocol.topics):
        targets = frozenset(web.urls[one] for one in topics[topic] if hops[one] != UNREACHED)
        if len(targets) < protocol.fewest_targets:
            reason = f"fewer than {protocol.fewest_targets} labelled pages can be reached"
            dropped.append(NoCase(RECORDED, topic, 0, reason))
            continue
        tasks += [
            Task(web.name, RECORDED, topic, draw, row, seeds, (), "", targets, protocol.budget)
            for draw in range(protocol.draws)
            for row in protocol.strategies
        ]
    if not tasks:
        raise LabError(
            f"expected relevant pages in {web.name}, but fewer than {protocol.fewest_targets} can "
            "be reached from its seeds for any topic. Name labels with --topics, or a longer crawl"
        )
    lost = tuple(url for url in protocol.seeds if web.landing(web.find(url)) < 0)
    return Plan(tasks, sides, tuple(dict.fromkeys(task.topic for task in tasks)), dropped, lost)


def _starts(web: WebFile, protocol: Protocol) -> list[int]:
    seeds = [web.find(url) for url in (protocol.seeds or web.extra[PAST]["seeds"])]
    starts = [number for number in seeds if web.landing(number) >= 0]
    if not starts:
        raise LabError(
            f"expected seeds that {web.name} fetched, but of {len(seeds):,} it fetched none. Name "
            "pages of that crawl with --seeds"
        )
    return starts


def _judged(web: WebFile) -> list[int]:
    past = web.extra[PAST]
    if not past["focused"]:
        raise LabError(
            f"expected --topics FILE with labels: {web.name} was crawled without a topic, so "
            "nothing in it says which pages are relevant"
        )
    return web.judged_from(past["relevant"])
