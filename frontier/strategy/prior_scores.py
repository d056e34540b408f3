"""Scores of an earlier crawl: a file of scores, stored with this crawl as shares.

The file of `FRONTIER_SCORES` is read once, when a crawl starts: each URL becomes its fingerprint,
each score its share, and both are stored with the crawl. From then on the file is not needed.

Its format is that of `python -m ranking rank`: text or Parquet with the URL in the first column and
the score in the second. Ten million lines are never in memory as text. Or it is a table of ranks
of hosts, see `frontier.strategy.host_ranks`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from frontier.errors import SettingsError
from frontier.store import Store, schema
from frontier.store.queries import Queries
from frontier.strategy.host_ranks import HOST, HostPrior, host_prior, score_layout
from frontier.urls.url_lists import shown_entry, url_fault
from ranking.arrays import Column
from ranking.priority import Prior, lifted

if TYPE_CHECKING:
    from ranking.offline.tables import TableRows

FINGERPRINTS = "fingerprints"
HOSTS = "hosts"
SHARES = "shares"


def read_prior(path: str, identify: Callable[[str], int]) -> Prior:
    """Read a file of scores; `identify` gives the fingerprint of a URL.

    Raises as `scored_urls` and `host_prior` do, and SettingsError for a file without scores.
    """
    from ranking.offline.scores import value_rows

    rows = value_rows(path, score_layout)
    first = next(rows, None)
    if first is None:
        raise SettingsError(
            f"Expected URLs and their scores in {path}, found none. Correct FRONTIER_SCORES "
            f"(-a scores=FILE), or leave it out."
        )
    rows = chain((first,), rows)
    if HOST in first.columns:
        return host_prior(rows)
    fingerprints, scores = array("q"), array("d")
    for url, score in scored_urls(rows, path):
        fingerprints.append(identify(url))
        scores.append(score)
    return Prior.from_scores(
        np.frombuffer(fingerprints, np.int64), np.frombuffer(scores, np.float64)
    )


def stored_prior(store: Queries) -> Prior | None:
    """Return the prior of a crawl; None without scores."""
    arrays, _ = store.saved_arrays(schema.PRIOR)
    if HOSTS in arrays:
        return HostPrior(arrays[HOSTS], arrays[SHARES])
    return Prior(arrays[FINGERPRINTS], arrays[SHARES]) if arrays else None


def store_prior(store: Store, prior: Prior | None) -> None:
    """Replace the stored prior of a crawl."""
    arrays: dict[str, NDArray[Any]] = {}
    if prior is not None:
        keys = HOSTS if isinstance(prior, HostPrior) else FINGERPRINTS
        arrays = {keys: prior.keys, SHARES: prior.shares}
    store.set_setting(schema.PRIOR, sorted(arrays))
    for name, values in arrays.items():
        store.save_array(schema.PRIOR + name, 0, values)


class PriorScores:
    """The share of each URL of the crawl, by id; without a prior nothing is kept or changed."""

    def __init__(self, prior: Prior | None = None) -> None:
        self._prior = prior
        self._shares = Column(np.float32)

    def extend(
        self,
        fingerprints: Sequence[int] | NDArray[np.int64],
        hosts: Sequence[str],
        places: NDArray[np.integer],
    ) -> None:
        """Add the URLs of the next ids, in their order; `places` are those of their hosts."""
        if isinstance(self._prior, HostPrior):
            self._shares.extend(self._prior.of_hosts(hosts)[places])
        elif self._prior is not None:
            self._shares.extend(self._prior.of(fingerprints))

    def lifted(
        self,
        priorities: NDArray[np.float64],
        ids: NDArray[np.int64],
        in_links: NDArray[np.int32],
    ) -> NDArray[np.float64]:
        """Return the priorities of ids, lifted by their shares; `in_links` is by id."""
        if self._prior is None:
            return priorities
        return lifted(priorities, self._shares.array[ids], in_links[ids])


def scored_urls(tables: Iterable[TableRows], path: str) -> Iterator[tuple[str, float]]:
    """Yield the rows of a file: URLs that can be crawled, and numbers >= 0.

    Raises SettingsError with the number of the first row with a bad URL, OfflineInputError where
    the file cannot be read or a score is no such number, MissingExtraError without pyarrow.
    """
    # No crawl without scores needs pyarrow.
    from ranking.offline.tables import names_of, numbers_of

    for rows in tables:
        if "value" not in rows.columns:
            raise _refusal(path, "it has one column")
        pairs = zip(names_of(rows, "name").to_pylist(), numbers_of(rows, "value"), strict=True)
        for at, (url, score) in enumerate(pairs):
            fault = url_fault(url)
            if fault is not None:
                raise _refusal(rows.where(at), f"{shown_entry(url)!r} {fault}")
            yield url, float(score)


def _refusal(where: str, problem: str) -> SettingsError:
    return SettingsError(
        f"Expected URLs and their scores, with a tab between, in {where}: {problem}. Correct "
        f"FRONTIER_SCORES (-a scores=FILE): `python -m ranking rank` writes such files, and Common "
        f"Crawl's tables of host and domain ranks (harmonicc_pos to host_rev) are read, too."
    )
