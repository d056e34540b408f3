"""A URL that the crawl never met: what it knows instead."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

import numpy as np

from frontier.inspection.explain.records import Explanation
from frontier.states import State
from frontier.urls.canonical import canonical_url, slot_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from frontier.inspection.resumed import Known

UNKNOWN_STATE = "unknown"


def unmet(known: Known, url: str) -> Explanation:
    """Explain why a URL is not in the frontier, as far as that can be known."""
    text = url.strip()
    spelled = text if "://" in text else f"http://{text}"
    canonical = canonical_url(spelled, known.config.url_rules)
    why = ["No page that was fetched links to it, and no seed or request of the spider named it."]
    why += [_of_host(known, slot_of(canonical)), *_alike(known, canonical)]
    order = known.driver.order
    return Explanation(
        url=canonical,
        state=UNKNOWN_STATE,
        why=tuple(why),
        strategy=order.name,
        formula=order.formula,
        queued=int((known.states == State.QUEUED).sum()),
        epoch=known.driver.epoch,
    )


def _of_host(known: Known, host: str) -> str:
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
