"""The tables of a crawl at one moment, read from its store in portions.

Each portion is a short read, so that a running crawl is not delayed; rows that it adds meanwhile
are left out, because they are newer than the numbers. The numbers of a URL need the whole crawl:
state, priority, scores, in-links. They are computed as in a resumed crawl, with graph and evidence
in memory, and kept as arrays by id: 27 bytes for each URL and 8 for each score.
"""

from __future__ import annotations

from copy import copy
from itertools import compress
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.export.columns import ExportColumn, Graph, Portion, clean, times
from frontier.inspection.resumed import Known
from frontier.inspection.revisits import page_changes
from frontier.states import REDIRECT, STATES, WEIGHTLESS, Change, Mark, State, mark_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from frontier.inspection.revisits import PageChange
    from frontier.store import StoreReader
    from ranking.graph.link_graph import LinkGraph

PAGES = (
    ExportColumn("id", "int32", "number of the URL, as in the store"),
    ExportColumn("url", "string", "as it was or will be fetched"),
    ExportColumn("state", "string", f"one of {', '.join(STATES)}"),
    ExportColumn("host", "string", "download slot"),
    ExportColumn("depth", "int32", "links from a seed"),
    ExportColumn("seed", "bool", "whether it is a seed"),
    ExportColumn("status", "int32", "HTTP status of the last response"),
    ExportColumn("error", "string", "why the last request gave no whole page"),
    ExportColumn("title", "string", "of the last response"),
    ExportColumn("language", "string", "language tag of the page, as it says"),
    ExportColumn("asks", "string", "what the page asks of its users, such as noai"),
    ExportColumn("fetched", "time", "time of the last response"),
    ExportColumn("relevance", "double", "0 to 1, of judged pages"),
    ExportColumn(
        "priority", "double", "the current one of a queued URL, else that at its last lease"
    ),
    ExportColumn("in_links", "int32", "fetched pages with a weighted link to it"),
    ExportColumn("marks", "string", "such as duplicate or near duplicate"),
    ExportColumn("twin", "int32", "id of the page that it duplicates or names as canonical"),
    ExportColumn("first_seen", "time", "time of the first fetch"),
    ExportColumn("last_seen", "time", "time of the last visit with an answer"),
    ExportColumn("last_changed", "time", "time of the last visit that found a change"),
    ExportColumn("last_revisit", "string", "result of the last revisit; none without revisits"),
)
"""They are followed by a column of reals for each score of the crawl's strategy."""
LINKS = (
    ExportColumn("source", "int32", "id of the page"),
    ExportColumn("target", "int32", "id of the URL to which it links"),
    ExportColumn("anchor", "string", "link text, at most 200 characters; none for a redirect"),
    ExportColumn(
        "weight", "double", "1, or 0 for nofollow and for links that count on another page"
    ),
    ExportColumn("predicted", "double", "relevance predicted from the link, 0 to 1"),
    ExportColumn("redirect", "bool", "whether it stands for a redirect"),
)
_URLS = 2000
"""URLs read at a time."""
_ANSWERS = 500
"""Pages read at a time: each may have thousands of links."""


class CrawledGraph(Graph):
    """The tables of a crawl, which can be iterated over repeatedly.

    Pages are all known URLs, links the stored links between two of them, each pair counted once;
    without `n_hidden` noindex pages and links from and to them. `numbers` are arrays by id, NaN for
    an unknown number. Raises as `Known.from_store` does.
    """

    link_columns = LINKS

    def __init__(self, reader: StoreReader) -> None:
        known = Known.from_store(reader)
        assert known.marks is not None, "read from a store"
        assert known.twins is not None, "likewise"
        self.scores = {name: array.copy() for name, array in known.driver.order.scores.items()}
        self._reader, self._answers = reader, known.answers
        self.host_names = np.array(clean(known.host_names), object)
        self.hosts = known.hosts
        self.hidden: NDArray[np.bool_] = (known.marks & Mark.NOINDEX) > 0
        self.n_hidden = int(self.hidden.sum())
        self.n_pages = known.n - self.n_hidden
        self.n_links = _shown_links(known.driver.graph, self.hidden)
        meaning = "score of the strategy, of this name"
        self.page_columns = (
            *PAGES,
            *(ExportColumn(name, "double", meaning) for name in self.scores),
        )
        self.numbers: dict[str, NDArray[Any]] = {
            "state": known.states,
            "relevance": known.relevance,
            "priority": known.priority,
            "in_links": known.driver.evidence.in_links.copy(),
            "marks": known.marks,
            "twin": known.twins,
            **self.scores,
        }

    def read_by(self, reader: StoreReader) -> CrawledGraph:
        """Return the tables of the same moment, read by another reader of the crawl."""
        other = copy(self)
        other._reader = reader
        return other

    def pages(self, state: State | None = None) -> Iterator[Portion]:
        """Yield the URLs by id, or those in one state."""
        shown = ~self.hidden
        if state is not None:
            shown &= self.numbers["state"] == state
        for start in range(0, len(shown), _URLS):
            chosen = shown[start : start + _URLS]
            if chosen.any():
                yield self._pages_from(start, chosen)

    def _pages_from(self, start: int, chosen: NDArray[np.bool_]) -> Portion:
        last = start + len(chosen) - 1
        rows = self._reader.node_range(start, last, self._answers)
        texts = tuple(zip(*compress(rows, chosen), strict=True))
        ids, urls, hosts, depths, seeds, status, errors, *of_page, fetched = texts[:11]
        numbers = {name: array[start : last + 1][chosen] for name, array in self.numbers.items()}
        first_seen, last_seen, last_changed, change = texts[11:]
        seen, seen_last, at = times(first_seen), times(last_seen), times(fetched)
        # A page that was not revisited since.
        once = np.isnan(seen) & (numbers["state"] == State.CRAWLED)
        return {
            "id": np.array(ids, np.int32),
            "url": clean(urls),
            "state": [STATES[number - 1] for number in numbers["state"].tolist()],
            "host": self.host_names[list(hosts)].tolist(),
            "depth": np.array(depths, np.int32),
            "seed": np.array(seeds, np.bool_),
            "status": times(status),
            "error": clean(errors),
            **dict(zip(("title", "language", "asks"), map(clean, of_page), strict=True)),
            "fetched": at,
            "relevance": numbers["relevance"],
            "priority": numbers["priority"],
            "in_links": numbers["in_links"],
            "marks": [_mark_text(bits) for bits in numbers["marks"].tolist()],
            "twin": np.where(numbers["twin"] < 0, np.nan, numbers["twin"]),
            "first_seen": np.where(once, at, seen),
            "last_seen": np.where(once, at, seen_last),
            "last_changed": times(last_changed),
            "last_revisit": [None if one is None else Change(one).name.lower() for one in change],
            **{name: numbers[name] for name in self.scores},
        }

    def links(self) -> Iterator[Portion]:
        """Yield the links, page by page, with the largest weight and prediction of each pair.

        As in the link graph; the text is the first.
        """
        for start in range(0, self._answers, _ANSWERS):
            last = min(start + _ANSWERS, self._answers) - 1
            sources, links = self._reader.links_range(start, last, self._answers)
            targets = links.targets
            shown = ~self.hidden[sources] & ~self.hidden[targets] & (sources != targets)
            if not shown.any():
                continue
            texts = np.array(links.anchors or [""] * len(targets), object)[shown]
            yield _merged(
                sources[shown],
                targets[shown],
                texts,
                np.where(links.flags[shown] & WEIGHTLESS, 0.0, 1.0),
                links.predicted[shown].astype(np.float64),
                links.flags[shown] & REDIRECT > 0,
            )

    def changes(self) -> Iterator[list[PageChange]]:
        """Return the changes of revisited pages, page by page, in portions."""
        return page_changes(self._reader, ~self.hidden)

    def named_links(self) -> Iterator[tuple[str, str, int]]:
        """Yield (source, target, weight) of each link, by canonical URL."""
        for portion in self.links():
            ends = np.unique([portion["source"], portion["target"]]).tolist()
            urls = dict(zip(ends, self._reader.canonical_urls_of(ends), strict=True))
            for source, target, weight in zip(
                *(portion[name].tolist() for name in ("source", "target", "weight")),  # type: ignore[union-attr]
                strict=True,
            ):
                yield urls[source], urls[target], int(weight)


def _mark_text(bits: int) -> str | None:
    return ", ".join(mark_names(Mark(bits))) or None if bits else None


def _merged(
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    texts: NDArray[np.object_],
    *largest: NDArray[Any],
) -> Portion:
    """Return one row for each pair of source and target, in the order of the first."""
    empty = texts == ""
    keys = (sources.astype(np.int64) << 33) + (targets.astype(np.int64) << 1) + empty
    order = np.argsort(keys, kind="stable")
    firsts = np.flatnonzero(np.diff(keys[order] >> 1, prepend=-1))
    if len(firsts) == len(keys):  # each pair once
        chosen, values = np.arange(len(keys)), list(largest)
    else:
        groups = np.minimum.reduceat(order, firsts)  # where each pair is first
        back = np.argsort(groups)
        chosen = order[firsts][back]
        values = [np.maximum.reduceat(array[order], firsts)[back] for array in largest]
    return {
        "source": sources[chosen],
        "target": targets[chosen],
        "anchor": clean(texts[chosen].tolist()),
        **dict(zip(("weight", "predicted", "redirect"), values, strict=True)),
    }


def _shown_links(graph: LinkGraph, hidden: NDArray[np.bool_]) -> int:
    if not hidden.any():
        return graph.n_links
    view = graph.snapshot()
    shown = ~hidden[view.targets] & np.repeat(~hidden[view.pages], np.diff(view.indptr))
    return int(shown.sum())
