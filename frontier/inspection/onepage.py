"""One URL, under any spelling, with the links to it and from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from frontier.errors import FrontierError
from frontier.inspection.in_links import LinkSource, in_links, link_sources
from frontier.inspection.reports import Report, iso_time, number_or_none
from frontier.inspection.resumed import Known
from frontier.inspection.revisits import RevisitReport, revisit_report
from frontier.records import PageRow
from frontier.states import REDIRECT, State, mark_names
from frontier.store import StoreReader
from frontier.urls.canonical import canonical_url, slot_of


class UnknownUrlError(FrontierError, LookupError):
    """The crawl never met the URL asked about."""


WAITING = (State.QUEUED, State.LEASED)


@dataclass(frozen=True)
class UrlReport(Report):
    """Everything known of one URL.

    `priority` and `score` are those of now (only a queued or leased URL has a priority),
    `priority_at_lease` and `score_at_lease` those of its last lease; `lease_number` is the number
    of that lease, `answer` that of its answer, both from 1. `fingerprint` and
    `content_hash` are hexadecimal; `text_length` counts characters of visible text; `marks` are
    names of `Mark`, `asks` is what the page asks of its users, and `twin` is the page that it
    repeats or names as canonical.
    """

    url: str
    canonical: str
    id: int
    fingerprint: str
    state: str
    host: str
    depth: int
    seed: bool
    referrer: str | None
    anchor: str | None
    discovered: str | None
    leased: str | None
    fetched: str | None
    attempts: int
    status: int | None
    error: str | None
    final_url: str | None
    title: str | None
    language: str | None
    asks: str | None
    content_hash: str | None
    text_length: int | None
    relevance: float | None
    predicted: float | None
    score: float | None
    priority: float | None
    priority_at_lease: float | None
    score_at_lease: float | None
    lease_number: int | None
    answer: int | None
    out_links: int | None
    marks: tuple[str, ...]
    twin: str | None
    redirects_to: str | None
    redirects_from: tuple[str, ...]
    revisits: RevisitReport | None
    in_links: tuple[LinkSource, ...]


def find_url(reader: StoreReader, known: Known, url: str) -> int:
    """Return the id of a URL: by fingerprint, else by its stored text.

    A request that is not a plain GET has a fingerprint of its own, so only its text identifies it.
    Without `http://` both schemes are tried. Raises UnknownUrlError.
    """
    text = url.strip()
    spellings = [text] if "://" in text else [f"https://{text}", f"http://{text}"]
    for spelling in spellings:
        ids = np.flatnonzero(known.fingerprints == known.config.identify(spelling))
        if len(ids):
            return int(ids[0])
    for spelling in spellings:
        url_id = reader.find_spelled(spelling, canonical_url(spelling, known.config.url_rules))
        if url_id is not None and url_id < known.n:
            return url_id
    raise UnknownUrlError(
        f"Expected a URL that the crawl in {reader.path.parent} has met, found {url!r}, which "
        f"none of its {known.n:,} URLs matches. {_advice(known, spellings[0])}"
    )


def _advice(known: Known, url: str) -> str:
    """Name the URL of the other scheme, where that is known; else why the URL may be unknown."""
    other = f"http:{url[6:]}" if url.startswith("https:") else f"https:{url[5:]}"
    if (known.fingerprints == known.config.identify(other)).any():
        return f"Did you mean {other}?"
    host = slot_of(url)
    if host not in known.host_names:
        return f"No link led to the host {host or '(none)'}."
    return (
        "No page that was fetched links to it, or its link was left out (the "
        "page has too many, a rule of the project)."
    )


def url_report(reader: StoreReader, known: Known, url_id: int) -> UrlReport:
    """Return what store and strategy know of a URL."""
    links = in_links(reader, known, url_id)
    sources = tuple(link_sources(reader, links, len(links)))
    redirects = tuple(source.url for source in sources if source.redirect)
    return replace(own_report(reader, known, url_id), redirects_from=redirects, in_links=sources)


def own_report(reader: StoreReader, known: Known, url_id: int) -> UrlReport:
    """Return the report without the links to the URL, which take a pass over all links."""
    row, page = reader.fetch_urls([url_id])[url_id], reader.page_row(url_id)
    return UrlReport(
        url=row.url,
        canonical=row.known_as,
        id=url_id,
        fingerprint=f"{row.fingerprint % 2**64:016x}",
        state=State(known.states[url_id]).name.lower(),
        host=known.host_names[row.host],
        depth=row.depth,
        seed=bool(row.seed),
        referrer=_url_of(reader, row.referrer),
        anchor=row.anchor,
        discovered=iso_time(row.discovered),
        **_last_lease_number(reader, page, url_id),
        **_answer(page),
        **_values(known, url_id),
        out_links=_out_links(page),
        marks=() if page is None else mark_names(page.marks),
        twin=None if page is None else _url_of(reader, page.twin),
        redirects_to=_redirect_target(reader, page),
        redirects_from=(),
        revisits=revisit_report(reader, known, url_id),
        in_links=(),
    )


def _last_lease_number(reader: StoreReader, page: PageRow | None, url_id: int) -> dict[str, Any]:
    lease = next((lease for lease in reader.leases() if lease.url_id == url_id), None)
    last = lease or page
    return {
        "leased": iso_time(lease.at if lease else getattr(page, "leased", None)),
        "attempts": 0 if last is None else last.attempts,
        "priority_at_lease": None if last is None else last.priority,
        "score_at_lease": None if last is None else last.score,
        "lease_number": _place(lease.seq if lease else getattr(page, "lease_number", None)),
    }


def _answer(page: PageRow | None) -> dict[str, Any]:
    """Return the fields of the last answer, also of a URL that is queued again."""
    plain = "status", "error", "final_url", "title", "language", "asks"
    fields: dict[str, Any] = {name: getattr(page, name, None) for name in plain}
    return fields | {
        "fetched": None if page is None else iso_time(page.fetched),
        "content_hash": None if page is None or page.hash is None else page.hash.hex(),
        "text_length": None if page is None else page.length,
        "answer": _place(getattr(page, "seq", None)),
    }


def _place(number: int | None) -> int | None:
    """Return a number that people count from 1 and the store from 0."""
    return None if number is None else number + 1


def _values(known: Known, url_id: int) -> dict[str, Any]:
    waits = known.states[url_id] in WAITING
    now = known.driver.priorities(np.array([url_id]))[0] if waits else None
    return known.values_of(url_id) | {"priority": number_or_none(now)}


def _out_links(page: PageRow | None) -> int | None:
    if page is None or page.links is None:
        return None
    return len(np.unique(page.links.targets))


def _redirect_target(reader: StoreReader, page: PageRow | None) -> str | None:
    if page is None or page.links is None:
        return None
    targets = page.links.targets[(page.links.flags & REDIRECT) > 0].tolist()
    return _url_of(reader, targets[0]) if targets else None


def _url_of(reader: StoreReader, url_id: int | None) -> str | None:
    return None if url_id is None else reader.urls_of([url_id])[0]
