"""The stored row of a page: made of its lease, of what was read and of what was decided."""

from __future__ import annotations

from dataclasses import fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np

from frontier.backend import _links
from frontier.records import LinkArrays, Page, PageRow
from frontier.states import NAMED, REDIRECT, TOPICAL
from frontier.store.rows import stored_predictions
from ranking.page_update import ADDRESS, MATCH_STEPS, MATCHES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frontier.records import Lease, UrlRecord
    from frontier.verdict import Verdict

_TOPICAL_FROM = MATCH_STEPS // 2 + 1
"""Least match that is at least 1/2."""
INHERITS = REDIRECT | NAMED
"""Links whose target has text and referrer of the page, which nobody wrote there: see
`frontier.backend.rules.doubles`.
"""
_NO_LINKS = LinkArrays(np.empty(0, np.int32), np.empty(0, np.float32), np.empty(0, np.uint8), ())


_DECIDED = {"state", "error", "fetched", "relevance", "similarity", "marks"}
_STORED = {field.name for field in fields(PageRow)}
_AS_READ = tuple(field.name for field in fields(Page) if field.name in _STORED - _DECIDED)
"""Fields of a page that are stored as they were read."""
_LEASED = ("attempts", "leased", "priority", "score", "rank", "features")
"""Fields of a lease that are stored with its page."""
_as_read, _leased = attrgetter(*_AS_READ), attrgetter(*_LEASED)


def page_row(lease: Lease, page: Page, verdict: Verdict, links: LinkArrays | None) -> PageRow:
    """Return the row of an answer; `links` None: it is no page of the link graph."""
    return PageRow(
        url_id=lease.url_id,
        lease_number=lease.number,
        **dict(zip(_LEASED, _leased(lease), strict=True)),
        **dict(zip(_AS_READ, _as_read(page), strict=True)),
        state=verdict.state_of(page),
        error=page.error if verdict.error is None else verdict.error,
        fetched=verdict.fetched_at(page),
        relevance=verdict.relevance_of(page),
        similarity=verdict.similarity_of(page),
        marks=page.marks | verdict.marks,
        twin=verdict.twin,
        links=links,
        refetched=verdict.refetched,
    )


def link_arrays(links: list[UrlRecord]) -> LinkArrays:
    """Return the links of a page as they are stored."""
    if not links:
        return _NO_LINKS
    k = len(links)
    targets, predicted, flags = np.empty(k, np.int32), np.empty(k), np.empty(k, np.uint8)
    matches = np.empty((k, MATCHES), np.uint8)
    read = _links.columns(links, INHERITS, targets, predicted, flags, matches)
    anchors, contexts, weighed = read
    arrays = LinkArrays(targets, stored_predictions(predicted), flags, tuple(anchors))
    if not weighed:
        return arrays
    flags[matches[:, :ADDRESS].max(axis=1, initial=0) >= _TOPICAL_FROM] |= TOPICAL
    return replace(arrays, matches=matches, contexts=_kept(contexts, links, flags))


def _kept(contexts: list[str], links: list[UrlRecord], flags: NDArray[np.uint8]) -> tuple[str, ...]:
    """Texts around the links that found a URL, or are the topic's; "" for the others."""
    kept = zip(contexts, links, flags.tolist(), strict=True)
    return tuple(text if link.is_new or flag & TOPICAL else "" for text, link, flag in kept)
