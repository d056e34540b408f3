"""Ranks of hosts or domains as prior scores: the tables that Common Crawl publishes.

A line is `harmonicc_pos, harmonicc_val, pr_pos, pr_val, host_rev` with tabs between, in the table
of domains with `n_hosts` behind; the host is reversed, `com.example.www`. The position by harmonic
centrality counts, which link spam moves less than PageRank.

A table has hundreds of millions of lines, mostly of hosts with hardly a link. Among all of them any
host that a crawl is likely to meet would have a share near 1. So the shares are those among the
MOST_HOSTS best, and no more is ever in memory; of a table sorted by position, as the published ones
are, no more is read.

Source: Common Crawl, "Common Crawl's First In-House Web Graph", 2017, and its later web graphs.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from frontier.errors import SettingsError
from frontier.urls.domains import registered_domain
from frontier.urls.url_lists import shown_entry
from ranking.priority import Prior

if TYPE_CHECKING:
    from ranking.arrays import SingleArray
    from ranking.offline.tables import FileLayout, TableRows

HOST: Final = "host"
"""Column of `TableRows` that only a table of ranks has."""
MOST_HOSTS: Final = 2_000_000
"""Best hosts that are kept, 12 bytes each: 24 MB in a crawl and in its store."""
EXACT: Final = 2**53
"""From here on a float64 holds not every whole number."""
_POSITION, _HOST_REVERSED, _FIELDS = 0, 4, 5
_WWW = "www."


class HostPrior(Prior):
    """Shares by host, as `Prior` has them by URL; `www.example.com` is `example.com`."""

    def of_hosts(self, hosts: Sequence[str]) -> SingleArray:
        """(m,) float32 shares of hosts, else of their registered domains; 0 for unknown ones."""
        own = self.of(np.array([_key(host) for host in hosts], np.int64))
        domains = self.of(np.array([_key(registered_domain(host)) for host in hosts], np.int64))
        return np.where(own > 0, own, domains)


def score_layout(lines: Sequence[str], path: str) -> FileLayout:
    """Return the layout of a table of ranks, of any other file that of names and values."""
    from ranking.offline.tables import TAB, FileLayout, value_layout

    first = lines[0].split(TAB)
    head = first[0].startswith("harmonicc_pos")
    if len(first) >= _FIELDS and (head or first[_POSITION].isdecimal()):
        return FileLayout(TAB, len(first), {"value": _POSITION, HOST: _HOST_REVERSED}, head)
    return value_layout(lines, path)


def host_prior(tables: Iterable[TableRows]) -> HostPrior:
    """Return the shares of the best hosts of a table.

    Raises SettingsError with the number of the first row without position or host.
    """
    keys, positions, last = array("q"), array("d"), np.inf
    for rows in tables:
        found, names = _checked(rows)
        better = np.flatnonzero(found < last)
        keys.extend(_key(_forwards(name)) for name in names.take(better).to_pylist())
        positions.frombytes(found[better].tobytes())
        if len(keys) >= MOST_HOSTS:
            best = np.argsort(positions, kind="stable")[:MOST_HOSTS]
            keys = array("q", np.frombuffer(keys, np.int64)[best].tobytes())
            positions = array("d", np.frombuffer(positions)[best].tobytes())
            last = positions[-1]
        if last <= MOST_HOSTS:
            break  # the best are complete
    best_first = Prior.from_scores(np.frombuffer(keys, np.int64), -np.frombuffer(positions))
    return HostPrior(best_first.keys, best_first.shares)


def _checked(rows: TableRows) -> tuple[NDArray[np.float64], Any]:
    """Positions and reversed hosts (a pyarrow array) of some rows."""
    from ranking.offline.extras import pyarrow
    from ranking.offline.tables import names_of

    positions = np.asarray(rows.columns["value"], np.float64)
    names = names_of(rows, HOST)
    odd = pyarrow("reading ranks", "pyarrow.compute").match_substring_regex(names, r"[/:\s]")
    whole = (positions >= 1) & (positions < EXACT) & (positions == np.floor(positions))
    bad = np.flatnonzero(~whole | np.asarray(odd))
    if bad.size:
        at = int(bad[0])
        raise SettingsError(
            f"Expected a position from 1 and a host as com.example.www, fields 1 and 5 of a table "
            f"of Common Crawl's ranks, in {rows.where(at)}: found {positions[at]:g} and "
            f"{shown_entry(names[at].as_py())!r}. Correct FRONTIER_SCORES (-a scores=FILE), or "
            f"remove the row."
        )
    return positions, names


def _forwards(reversed_host: str) -> str:
    return ".".join(reversed(reversed_host.lower().split(".")))


def _key(host: str) -> int:
    digest = blake2b(host.removeprefix(_WWW).encode(), digest_size=8, person=b"host").digest()
    return int.from_bytes(digest, "little", signed=True)
