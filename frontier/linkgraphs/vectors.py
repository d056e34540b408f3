"""What is told about URLs in files: where the surfer jumps, and what is relevant.

A name is looked up as the crawler would know it, however it is spelled; of hosts both names and
URLs may be given. Names that are not in the graph are counted and shown, and a file of which no
name is known is refused: it belongs to another graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from frontier.errors import SettingsError
from frontier.linkgraphs.urlgraph import UNKNOWN
from frontier.urls.url_lists import read_seeds
from ranking.offline.layout import TAB
from ranking.offline.values import value_batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from frontier.linkgraphs.urlgraph import UrlGraph


class Totals(NamedTuple):
    """For each id the sum of the values that were given for it, and how many there were."""

    sums: NDArray[np.float64]
    counts: NDArray[np.int64]
    notes: list[str]

    @property
    def means(self) -> NDArray[np.float64]:
        """(n,) mean of the values of each id, 0 without any."""
        values: NDArray[np.float64] = self.sums / np.maximum(self.counts, 1)
        return values


def totals_of_file(path: str, urls: UrlGraph) -> Totals:
    """Read `name<TAB>value` lines, the value 1 where it is missing, or Parquet.

    Raises OfflineInputError for a bad line, with its number; SettingsError if no name is known.
    """
    return _totals(path, _rows(path), urls)


def totals_of_seeds(source: str, urls: UrlGraph) -> Totals:
    """Read seeds as a crawl does: a file of URLs or URLs separated by commas, 1 for each.

    Raises SeedsError if there is none; SettingsError if none of them is known.
    """
    listing = read_seeds(source)
    totals = _totals(source, ((url, 1.0) for url in listing.urls), urls)
    skipped = [f"seed line {line:,} skipped: {text!r} {why}" for line, text, why in listing.skipped]
    return totals._replace(notes=skipped + totals.notes)


def _rows(path: str) -> Iterator[tuple[str, float]]:
    for batch in value_batches(path, TAB, None):
        names = (batch.name(k) for k in range(len(batch.starts)))
        yield from zip(names, batch.values.tolist(), strict=True)


def _totals(source: str, rows: Iterable[tuple[str, float]], urls: UrlGraph) -> Totals:
    sums, counts = np.zeros(urls.n), np.zeros(urls.n, np.int64)
    unknown, example = 0, ""
    for name, value in rows:
        found = urls.find(name)
        if found == UNKNOWN:
            unknown, example = unknown + 1, example or name
            continue
        sums[found] += value
        counts[found] += 1
    if not counts.any():
        raise SettingsError(
            f"Expected names of the graph in {source}, but none of its {unknown:,} names is one"
            + (f", such as {example!r}" if example else "")
            + (f". Names look like {urls.names[0]!r}." if urls.n else ": the graph is empty.")
        )
    if not unknown:
        return Totals(sums, counts, [])
    note = f"{source}: {unknown:,} names are not in the graph, such as {example!r}"
    return Totals(sums, counts, [note])
