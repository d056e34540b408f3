"""Why a URL has its place: all that decided it, put together.

What waits is explained by what is known now; what was handed out by what was known then: the links
of pages answered until its hand-out, and the priority, score and rank stored with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit, urlunsplit

import numpy as np

from frontier.inspection.explain.formulas import Facts, numbers
from frontier.inspection.explain.in_links import MOST_READ, carriers, in_links
from frontier.inspection.explain.rank import Queue
from frontier.inspection.explain.records import Explanation, Part
from frontier.inspection.explain.sentences import circumstances, of_page, of_place, of_trust
from frontier.inspection.explain.topic_words import TopicWords
from frontier.inspection.onepage import UnknownUrlError, find_url, own_report
from frontier.inspection.reports import number_or_none
from frontier.inspection.resumed import Known
from frontier.states import State
from frontier.store import StoreReader
from frontier.store.keys import AFTER, BEFORE, SCORES
from frontier.store.link_text import features_of
from frontier.urls.canonical import canonical_url, slot_of
from ranking.arrays import SingleArray
from ranking.evidence import Evidence
from ranking.orders import Order
from ranking.priority import SEED_PRIORITY

AROUND = 2
"""Neighbours shown to either side."""
COMPARED = 500
"""URLs of the frontier that tell what is usual in it."""


class _HandOut(NamedTuple):
    """The last hand-out of a URL that does not wait."""

    at: float
    """Unix seconds."""
    rank: int | None
    row: SingleArray | None
    """What the order knew of it then."""


def explain(reader: StoreReader, known: Known, url: str, shown: int) -> Explanation:
    """Explain the place of a URL, however it is spelled; lists name up to `shown` each."""
    try:
        url_id = find_url(reader, known, url)
    except UnknownUrlError:
        return _unmet(known, url)
    return _Question(reader, known, url_id).answered(shown)


class _Question:
    """A URL that the crawl met, and what several parts of the answer need."""

    def __init__(self, reader: StoreReader, known: Known, url_id: int) -> None:
        self.reader, self.known, self.url_id = reader, known, url_id
        self.report = own_report(reader, known, url_id)
        self.page = reader.page_row(url_id)
        self.left = self._hand_out()
        self.links = in_links(reader, known, url_id)
        self.speaking = self.links
        if self.left is not None:
            self.speaking = self.links.of(reader.answered_until(self.left.at))
        self.queue = Queue(reader, known)

    def answered(self, shown: int) -> Explanation:
        report, left, order = self.report, self.left, self.known.driver.order
        foremost = carriers(self.reader, self.speaking, max(shown, MOST_READ))
        priority = report.priority if left is None else report.handout_priority
        facts = Facts(
            self.known,
            self.url_id,
            self.speaking,
            foremost,
            priority,
            score_then=None if left is None else report.handout_score,
            then=left is not None,
        )
        priority_class = int(self.known.classes[self.url_id])
        rank = self.queue.rank(self.url_id) if left is None else left.rank
        parts, adding = self._parts(facts)
        ahead, behind = self.queue.around(self.url_id, AROUND)
        topic = TopicWords(self.reader, self.known.config)
        return Explanation(
            url=report.url,
            state=report.state,
            why=(
                *of_place(report, priority_class, rank, len(self.links)),
                *of_page(self.reader, report, self.page),
                *of_trust(self.reader, self.known, self.url_id),
                *self._circumstances(),
            ),
            strategy=order.name,
            formula=order.formula,
            priority=priority,
            priority_class=priority_class,
            rank=rank,
            queued=len(self.queue),
            handout=report.handout,
            parts=parts,
            parts_add=adding,
            parts_then=left is not None,
            score=report.score,
            score_before=_score_by(BEFORE, self.reader, self.url_id),
            score_after=_score_by(AFTER, self.reader, self.url_id),
            score_then=report.handout_score,
            epoch=self.known.driver.epoch,
            links=len(self.links),
            links_then=len(self.speaking),
            carriers=tuple(topic.of_link(one, report.url) for one in foremost[:shown]),
            ahead=ahead,
            behind=behind,
            topic_words=topic.of_page(self.page),
        )

    def _circumstances(self) -> list[str]:
        if self.left is not None:
            return []
        return circumstances(self.reader, self.known, self.queue, self.url_id)

    def _hand_out(self) -> _HandOut | None:
        """The hand-out that decided its place; None for what waits, which has still to leave."""
        if self.known.states[self.url_id] == State.QUEUED:
            return None
        for lease in self.reader.leases():
            if lease.url_id == self.url_id:
                return _HandOut(lease.at, lease.rank, features_of(lease.features))
        page = self.page
        if page is None or page.leased is None:
            return None
        return _HandOut(page.leased, page.rank, page.features)

    def _parts(self, facts: Facts) -> tuple[tuple[Part, ...], bool]:
        """The parts of its priority, and whether they add up to it."""
        driver = self.known.driver
        # Scores of an earlier crawl lift those of seeds too.
        if self.report.seed and (facts.priority or 0.0) > SEED_PRIORITY / 2:
            return (Part("a seed: seeds come first, in the order given", None),), False
        adding = self._contributions(driver.order, driver.evidence)
        if adding:
            return tuple(sorted(adding, key=lambda part: (-part.telling, part.words))), True
        return numbers(facts), False

    def _contributions(self, order: Order, evidence: Evidence) -> list[Part]:
        """What the order itself says of its sum, now or by what it knew at the hand-out."""
        if self.left is not None:
            row = self.left.row
            told_then = {} if row is None else order.row_contributions(row)
            return [Part(*one) for one in told_then.items()]
        ids = np.append(self.queue.spread(COMPARED), self.url_id)
        told = order.contributions(ids, evidence)
        return [
            Part(words, float(values[-1]), float(values[:-1].mean()))
            for words, values in told.items()
        ]


def _score_by(name: str, reader: StoreReader, url_id: int) -> float | None:
    """As BEFORE or AFTER have it; None before a re-rank, and for what was found since."""
    found = reader.load_array(name)
    if found is None or url_id >= len(found[1]):
        return None
    epoch, scores = found
    if epoch != reader.saved_arrays(SCORES)[1]:  # of the strategy that the crawl had before
        return None
    return number_or_none(float(scores[url_id]))


def _unmet(known: Known, url: str) -> Explanation:
    """Explain why a URL is not in the frontier, as far as that can be known."""
    text = url.strip()
    spelled = text if "://" in text else f"http://{text}"
    canonical = canonical_url(spelled, known.config.url_rules)
    why = ["No page that was fetched links to it, and no seed or request of the spider named it."]
    why += [_host_met(known, slot_of(canonical)), *_alike(known, canonical)]
    order = known.driver.order
    return Explanation(
        url=canonical,
        state="unknown",
        why=tuple(why),
        strategy=order.name,
        formula=order.formula,
        queued=int((known.states == State.QUEUED).sum()),
        epoch=known.driver.epoch,
    )


def _host_met(known: Known, host: str) -> str:
    if host not in known.host_names:
        return f"Nothing of the host {host or '(none)'} is known: no link led there."
    of_host = known.states[known.hosts == known.host_names.index(host)]
    fetched = int((of_host == State.CRAWLED).sum())
    return (
        f"Of the host {host} {len(of_host):,} URLs are known and {fetched:,} fetched; a link to it "
        f"may stand on a page that is not, or was left out (FRONTIER_MAX_LINKS, a rule of the "
        f"project)."
    )


def _alike(known: Known, canonical: str) -> list[str]:
    """Name spellings that the crawl does know."""
    found = []
    for spelling in _spellings(canonical):
        number = known.config.identify(spelling)
        for url_id in np.flatnonzero(known.fingerprints == number)[:1].tolist():
            state = State(known.states[url_id]).name.lower()
            found.append(f"Did you mean {spelling}? That one is known ({state}).")
    return found


def _spellings(canonical: str) -> Iterator[str]:
    """Yield what the same page is often called as well."""
    try:
        parts = urlsplit(canonical)
    except ValueError:
        return
    host, path = parts.netloc, parts.path
    other = host[4:] if host.startswith("www.") else f"www.{host}"
    scheme = "http" if parts.scheme == "https" else "https"
    slashed = path[:-1] if path.endswith("/") else f"{path}/"
    yield urlunsplit(parts._replace(scheme=scheme))
    yield urlunsplit(parts._replace(netloc=other))
    yield urlunsplit(parts._replace(scheme=scheme, netloc=other))
    yield urlunsplit(parts._replace(path=slashed))
    if parts.query:
        yield urlunsplit(parts._replace(query=""))
