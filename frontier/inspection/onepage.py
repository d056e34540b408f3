"""One URL: found under any spelling, then told with all that leads to it and from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from frontier.errors import FrontierError
from frontier.inspection.reports import InLink, UrlReport, iso_time, number_or_none
from frontier.inspection.resumed import Known
from frontier.records import PageRecord
from frontier.states import NOFOLLOW, REDIRECT, State, mark_names
from frontier.store import StoreReader, UrlRow
from frontier.urls.canonical import canonical_url


class UnknownUrlError(FrontierError, LookupError):
    """The crawl never met the URL asked about."""


WAITING = (State.QUEUED, State.LEASED)


def find_url(reader: StoreReader, known: Known, url: str) -> int:
    """Return the id of a URL: by fingerprint, else as the text that was stored.

    A request that is not a plain GET has a fingerprint of its own, so only its text leads to it.
    Without `http://` both schemes are tried. Raises UnknownUrlError.
    """
    text = url.strip()
    spellings = [text] if "://" in text else [f"https://{text}", f"http://{text}"]
    for spelling in spellings:
        ids = np.flatnonzero(known.fingerprints == known.config.identify(spelling))
        if len(ids):
            return int(ids[0])
    for spelling in spellings:
        found = reader.find_spelled(spelling, canonical_url(spelling, known.config.url_rules))
        if found is not None and found < known.n:
            return found
    raise UnknownUrlError(
        f"Expected a URL that the crawl in {reader.path.parent} has met, found {url!r}, which "
        f"none of its {known.n:,} URLs matches. Check the spelling; "
        f"`scrapy frontier top {reader.path.parent}` lists URLs it knows."
    )


def url_report(reader: StoreReader, known: Known, url_id: int) -> UrlReport:
    """Collect what store and strategy know of a URL."""
    links = _in_links(reader, reader.fetch_urls([url_id])[url_id])
    sources = tuple(link.url for link in links if link.redirect)
    own = own_report(reader, known, url_id)
    return replace(own, redirects_from=sources, in_links=links)


def own_report(reader: StoreReader, known: Known, url_id: int) -> UrlReport:
    """Collect it but for the links to the URL, which take a pass over all links."""
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
        found=iso_time(row.found),
        **_last_handout(reader, page, url_id),
        **_answer(page),
        **_values(known, url_id),
        out_links=_out_links(page),
        marks=() if page is None else mark_names(page.marks),
        twin=None if page is None else _url_of(reader, page.twin),
        redirects_to=_redirect_target(reader, page),
        redirects_from=(),
        in_links=(),
    )


def _last_handout(reader: StoreReader, page: PageRecord | None, url_id: int) -> dict[str, Any]:
    lease = next((one for one in reader.leases() if one.url_id == url_id), None)
    last = lease or page
    return {
        "leased": iso_time(lease.at if lease else getattr(page, "leased", None)),
        "attempts": 0 if last is None else last.attempts,
        "handout_priority": None if last is None else last.priority,
        "handout_score": None if last is None else last.score,
        "handout": _place(lease.seq if lease else getattr(page, "handout", None)),
    }


def _answer(page: PageRecord | None) -> dict[str, Any]:
    """Fields of the last answer; of a URL that waits again, those of the answer before."""
    plain = "status", "error", "final_url", "title"
    fields: dict[str, Any] = {name: getattr(page, name, None) for name in plain}
    return fields | {
        "fetched": None if page is None else iso_time(page.fetched),
        "content_hash": None if page is None or page.hash is None else page.hash.hex(),
        "text_length": None if page is None else page.length,
        "answer": _place(getattr(page, "seq", None)),
    }


def _place(number: int | None) -> int | None:
    """What people count from 1 and the store from 0."""
    return None if number is None else number + 1


def _values(known: Known, url_id: int) -> dict[str, Any]:
    waits = known.states[url_id] in WAITING
    now = known.driver.priorities(np.array([url_id]))[0] if waits else None
    return known.values_of(url_id) | {"priority": number_or_none(now)}


def _in_links(reader: StoreReader, row: UrlRow) -> tuple[InLink, ...]:
    found = reader.in_links(row.url_id)
    urls = reader.fetch_urls(set(found.sources.tolist()))
    texts = {source: iter(_texts(reader, source, row)) for source in urls}
    columns = (column.tolist() for column in found[1:])
    return tuple(
        InLink(
            url=urls[source].url,
            promise=float(promise),
            nofollow=bool(flags & NOFOLLOW),
            redirect=bool(flags & REDIRECT),
            anchor=next(texts[source], None) or None,
        )
        for source, promise, flags in zip(*columns, strict=True)
    )


def _texts(reader: StoreReader, source: int, row: UrlRow) -> list[str]:
    """Return the texts of the links from a page; of a salvaged one perhaps only the first."""
    page = reader.linking_page(source)
    links = None if page is None else page.links
    if links is None or links.anchors is None:
        return [row.anchor or ""] if source == row.referrer else []
    return [links.anchors[place] for place in np.flatnonzero(links.targets == row.url_id)]


def _out_links(page: PageRecord | None) -> int | None:
    if page is None or page.links is None:
        return None
    return len(np.unique(page.links.targets))


def _redirect_target(reader: StoreReader, page: PageRecord | None) -> str | None:
    if page is None or page.links is None:
        return None
    targets = page.links.targets[(page.links.flags & REDIRECT) > 0].tolist()
    return _url_of(reader, targets[0]) if targets else None


def _url_of(reader: StoreReader, url_id: int | None) -> str | None:
    return None if url_id is None else reader.urls_of([url_id])[0]
