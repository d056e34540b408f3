"""Why a URL has its place: the parts of its priority, and the links that lead to it.

A queued URL is explained by what is known now; a requested URL also by the values stored with its
request: priority, score and rank, and the features that the order knew.

No priority is computed here: an order that is a sum names its parts itself (`Order.contributions`);
of any other order the numbers are shown that an order of its kind reads.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frontier.config import DEFAULT_TOPIC_MODEL
from frontier.formatting import number
from frontier.inspection.held import holds
from frontier.inspection.in_links import InLinks, LinkSource, Part, in_links, link_sources
from frontier.inspection.onepage import UrlReport, find_url, own_report
from frontier.inspection.reports import Report
from frontier.inspection.resumed import Known
from frontier.inspection.revisits import RevisitReport
from frontier.records import PageRow
from frontier.render.policy import explained
from frontier.states import State
from frontier.store import StoreReader
from frontier.store.rows import features_of
from frontier.store.schema import LABELLED, TOPIC
from ranking.arrays import SingleArray
from ranking.priority import SEED_PRIORITY
from ranking.topics import TfidfTopic
from ranking.topics.judging import PageText

COMPARED = 500
"""URLs of the frontier from which the usual values are taken."""


@dataclass(frozen=True)
class Explanation(Report):
    """Why a URL has its place.

    Attributes:
        state: of the URL.
        because: what holds the URL back or lifts it, beside its priority.
        rank: from 1, in the frontier now, or at its last request.
        queued: URLs in the frontier now; `of_host` of them wait for its host.
        request: number of the last request.
        priority: of now for a queued URL, of the last request for any other; None for a seed.
        priority_class: Scrapy's, which stands above every priority.
        score, score_then: link score now, and at the last request.
        links: pages that link to it.
        revisits: of a revisited page, with the time at which the next one is due.
        parts: of the priority, the most distinctive first; where the order is no sum, numbers that
            it reads.
        topic_words: of a fetched page whose text is kept, the words that count for the topic by
            the default topic model of now; values that add up to 1 are a relevance of .5.
        carriers: the links that carry most.

    """

    url: str
    state: str
    strategy: str
    formula: str
    rank: int | None
    queued: int
    of_host: int
    request: int | None
    priority: float | None
    priority_class: int
    score: float | None
    score_then: float | None
    links: int
    because: tuple[str, ...]
    revisits: RevisitReport | None
    parts: tuple[Part, ...]
    topic_words: tuple[Part, ...]
    carriers: tuple[LinkSource, ...]


class _Request(NamedTuple):
    """The last request of a URL that is not queued: its rank and features."""

    rank: int | None
    row: SingleArray | None


def explain(reader: StoreReader, known: Known, url: str, shown: int) -> Explanation:
    """Explain the place of a URL, however it is spelled; up to `shown` links are listed.

    Raises UnknownUrlError if the crawl never met it.
    """
    url_id = find_url(reader, known, url)
    report, page = own_report(reader, known, url_id), reader.page_row(url_id)
    request = _last_request(reader, known, url_id, page)
    links = in_links(reader, known, url_id)
    queue = np.flatnonzero(known.states == State.QUEUED)
    priority = report.priority if request is None else report.priority_at_lease
    is_first = report.seed and (priority or 0.0) > SEED_PRIORITY / 2
    topic = TopicWords(reader, known)
    order = known.driver.order
    return Explanation(
        url=report.url,
        state=report.state,
        strategy=order.name,
        formula=order.formula,
        rank=_rank(known, queue, url_id, request),
        queued=len(queue),
        of_host=int((known.hosts[queue] == known.hosts[url_id]).sum()),
        request=report.lease_number,
        priority=None if is_first else priority,
        priority_class=int(known.classes[url_id]),
        score=report.score,
        score_then=None if request is None else report.score_at_lease,
        links=len(links),
        because=tuple(_reasons(reader, known, report, page, is_first=is_first)),
        revisits=report.revisits,
        parts=() if is_first else _parts(known, url_id, request, queue, links),
        topic_words=topic.of_page(page),
        carriers=tuple(
            topic.of_link(source, report.url) for source in link_sources(reader, links, shown)
        ),
    )


def _last_request(
    reader: StoreReader, known: Known, url_id: int, page: PageRow | None
) -> _Request | None:
    """Return the request that decided a URL's place; None for a queued URL."""
    if known.states[url_id] == State.QUEUED:
        return None
    for lease in reader.leases():
        if lease.url_id == url_id:
            return _Request(lease.rank, features_of(lease.features))
    if page is None or page.leased is None:
        return None
    return _Request(page.rank, page.features)


def _rank(
    known: Known, queue: NDArray[np.int64], url_id: int, request: _Request | None
) -> int | None:
    if request is not None:
        return request.rank
    # A URL that was dropped, as in a trap, is neither queued nor was it ever requested.
    return rank_in(known, queue, url_id) if known.states[url_id] == State.QUEUED else None


def rank_in(known: Known, queue: NDArray[np.int64], url_id: int) -> int:
    """Rank of a queued URL: 1 + the URLs of a higher class, or priority, or tie-breaker."""
    # NaN, which damaged scores may cause, comes last.
    priority = np.nan_to_num(known.priority, nan=-np.inf, posinf=np.inf, neginf=-np.inf)
    better = known.fingerprints[queue] < known.fingerprints[url_id]
    for keys in priority, known.classes:
        better = (keys[queue] > keys[url_id]) | ((keys[queue] == keys[url_id]) & better)
    return 1 + int(np.count_nonzero(better))


def _parts(
    known: Known,
    url_id: int,
    request: _Request | None,
    queue: NDArray[np.int64],
    links: InLinks,
) -> tuple[Part, ...]:
    order, evidence = known.driver.order, known.driver.evidence
    if request is not None:
        then = {} if request.row is None else order.row_contributions(request.row)
        parts = [Part(float(value), None, words) for words, value in then.items()]
    else:
        places = np.linspace(0, max(len(queue) - 1, 0), min(COMPARED, len(queue)))
        ids = np.append(queue[places.astype(np.int64)], url_id)
        now = order.contributions(ids, evidence)
        parts = [
            Part(float(values[-1]), float(values[:-1].mean()), words)
            for words, values in now.items()
        ]
    if parts:
        return tuple(sorted(parts, key=lambda part: (-part.telling, part.evidence)))
    return tuple(_numbers(known, url_id, links))


def _numbers(known: Known, url_id: int, links: InLinks) -> Iterator[Part]:
    """Yield the numbers of a URL that an order reads which is no sum."""
    order, evidence = known.driver.order, known.driver.evidence
    yield Part(float(evidence.depth[url_id]), None, "links from a seed")
    yield Part(float(links.followed.sum()), None, "pages that link to it and vouch for it")
    if order.uses_topic and len(links):
        relevance = links.relevance[links.followed]
        if len(relevance):
            yield Part(float(relevance.mean()), None, "mean relevance of the linking pages")
        yield Part(float(links.predicted.max()), None, "predicted relevance of the best link")
    for name, scores in order.scores.items():
        yield Part(float(scores[url_id]), None, f"{name} now")


def _reasons(
    reader: StoreReader, known: Known, report: UrlReport, page: PageRow | None, *, is_first: bool
) -> Iterator[str]:
    """Yield what decides beside the priority: errors, twins, marks, labels, holds."""
    settings, url_id = reader.settings(), report.id
    if report.error:
        yield report.error
    if is_first:
        yield "seeds come first, in the order given"
    if report.twin is not None:
        yield f"its in-links count for {report.twin}"
    elif report.redirects_to is not None:
        yield f"redirects, and its in-links count, to {report.redirects_to}"
    yield from report.marks
    if page is not None and page.rendering is not None:
        yield explained(page.rendering)
    if page is not None and page.relevance is not None:
        yield f"relevance {number(page.relevance)}, similarity {number(page.similarity)}"
    for label, texts in (settings.get(LABELLED) or {}).items():
        if str(url_id) in texts:
            yield f"labelled {label} (scrapy frontier label), which outranks the topic model"
    if known.states[url_id] == State.QUEUED:
        for hold, particulars in holds(reader, known, url_id, time.time()):
            yield f"held back: {hold.value}{f' ({particulars})' if particulars else ''}"
        yield from _lift(known, url_id)


def _lift(known: Known, url_id: int) -> Iterator[str]:
    ids, driver = np.array([url_id]), known.driver
    alone = float(driver.order.priority(ids, driver.evidence)[0])
    lifted = float(driver.priorities(ids)[0])
    if lifted != alone:
        yield (
            f"prior scores (FRONTIER_SCORES) lift its priority from {number(alone)} "
            f"to {number(lifted)}"
        )


class TopicWords:
    """The words that count for the topic, by a crawl's default topic model; not by any other."""

    def __init__(self, reader: StoreReader, known: Known) -> None:
        """Raises TopicError where the stored state of the topic model cannot be read."""
        self._reader = reader
        self._model: TfidfTopic | None = None
        state = reader.settings().get(TOPIC)
        if state is not None and known.config.topic_model == DEFAULT_TOPIC_MODEL:
            self._model = TfidfTopic()
            self._model.restore(state)

    def of_page(self, page: PageRow | None) -> tuple[Part, ...]:
        """Return the words of a judged page whose text is kept, as of samples."""
        if self._model is None or page is None or page.relevance is None:
            return ()
        text = self._reader.sample_text(page.url_id)
        if text is None:
            return ()
        read = PageText(text, page.title or "", page.heading or "")
        return _words(self._model.explain(read))

    def of_link(self, source: LinkSource, url: str) -> LinkSource:
        """Return a link to `url` with its words."""
        if self._model is None:
            return source
        texts = source.anchor or "", source.context or "", url
        return replace(source, topic_words=_words(self._model.explain_link(texts)))


def _words(explained: list[tuple[str, float]]) -> tuple[Part, ...]:
    return tuple(Part(value, None, word) for word, value in explained)
