"""Distrust: what somebody marked bad is not fetched, and who leads to it is believed less.

The suspicion of a page is a share of what its links lead to (Krishnan and Raj 2006, Web spam
detection with Anti-Trust Rank),

    s(u) = c/k · Σ s(v) over its k links u → v        s = 1 for bad URLs, c = .85

as known when it is fetched: rebuilt from the file and the pages in their order when a crawl goes
on. A *suspect* page vouches for nobody: see docs/spam.md.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from frontier.errors import SettingsError
from frontier.urls.canonical import canonical_url, slot_of, without_credentials
from frontier.urls.hosts import bracketed, host_spelling
from frontier.urls.resolve import OWN_PORTS
from frontier.urls.rules import BY_W3LIB, RULES
from frontier.urls.url_lists import read_text_file, shown_entry, url_fault
from ranking.arrays import Column
from ranking.page_update import MATCHES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from ranking.graph.view import GraphView
    from ranking.page_update import PageUpdate

logger = logging.getLogger(__name__)

DECAY: Final = 0.85
SUSPECT: Final = 0.04
"""Suspicion from which a page is suspect: one bad link in twenty."""
LAST: Final = 1e9
"""Taken from a priority; more than any order's values differ by, less than what seeds have."""
_HOST_PRIOR: Final = 1
_HOST = re.compile(r"(\[[^]\s]+\]|[^\s:/?#@\[\]]+)(?::([0-9]{1,5}))?")
_NAME = re.compile(r"[a-z0-9_.:-]+")


@dataclass(frozen=True)
class BadPages:
    """What is marked bad, as `host_spelling` and `canonical_url` spell it.

    `hosts` have a port or none; `prefixes` are beginnings of URLs without a query. Of those with
    one, `queries` has the address, all arguments but the last one, and how that begins.
    """

    hosts: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()
    queries: tuple[tuple[str, frozenset[str], str], ...] = ()

    def __contains__(self, url: str) -> bool:
        """Whether an absolute URL is bad, however it is spelled."""
        address, _, query = url.partition("#")[0].partition("?")
        address = canonical_url(address)
        if self.prefixes and address.startswith(self.prefixes):
            return True
        if self.hosts and any(name in self.hosts for name in _names(address)):
            return True
        return bool(self.queries and query) and self._asks_for_bad(address, _arguments(query))

    def _asks_for_bad(self, address: str, given: Sequence[str]) -> bool:
        return any(
            address == bad and rest.issubset(given) and any(one.startswith(last) for one in given)
            for bad, rest, last in self.queries
        )


def read_distrust(path: str) -> BadPages:
    """Read a file of bad hosts and URLs, one a line; lines that are neither are named in the log.

    Raises SettingsError for a file that cannot be read or names nothing, SeedsError for one that is
    no text.
    """
    hosts, prefixes, queries = set(), [], []
    for number, line in enumerate(read_text_file(path, "bad URLs").splitlines(), start=1):
        entry = line.partition(" #")[0].partition("\t#")[0].strip()
        if not entry or entry.startswith("#"):
            continue
        host = _bad_host(entry)
        fault = url_fault(without_credentials(entry)) or (
            "has a fragment" if "#" in entry else None
        )
        if host is not None:
            hosts.add(host)
        elif fault is not None:
            shown = shown_entry(entry)
            logger.warning("Line %d of %s is skipped: %r %s", number, path, shown, fault)
        elif "?" in entry:
            queries.append(_bad_query(entry))
        else:
            prefixes.append(canonical_url(entry))
    if not (hosts or prefixes or queries):
        raise SettingsError(
            f"Expected bad URLs or hosts in {path}, one a line, such as https://spam.example/shop/ "
            "or spam.example; found none. Correct FRONTIER_DISTRUST (-a distrust=FILE), or leave "
            "it out."
        )
    return BadPages(frozenset(hosts), tuple(prefixes), tuple(queries))


def _bad_host(entry: str) -> str | None:
    found = _HOST.fullmatch(entry)
    name = host_spelling(found[1]) if found else ""
    if found is None or not _NAME.fullmatch(name):
        return None
    return bracketed(name) + (f":{int(found[2])}" if found[2] else "")


def _bad_query(entry: str) -> tuple[str, frozenset[str], str]:
    address, _, query = entry.partition("?")
    rest, _, last = query.rpartition("&")
    begins = "".join(_arguments(last))
    if "=" not in last:
        begins = begins.removesuffix("=")  # which w3lib adds
    return canonical_url(address), frozenset(_arguments(rest)), begins


def _arguments(query: str) -> list[str]:
    """The arguments of a query as a canonical URL has them, tracking and sessions too."""
    found = canonical_url(RULES.repaired(f"http://h/?{query}"), BY_W3LIB).partition("?")[2]
    return found.split("&") if found else []


def _names(address: str) -> Iterable[str]:
    """Yield the host of a canonical URL with its port, without, and every domain it is under."""
    scheme, _, rest = address.partition("://")
    authority, host = rest.partition("/")[0], bracketed(slot_of(address))
    yield authority if authority != host else f"{host}:{OWN_PORTS.get(scheme)}"
    while host:
        yield host
        host = host.partition(".")[2]


class Distrust:
    """Suspicion of every URL by id. Without bad pages it costs nothing and changes nothing."""

    def __init__(self, bad: BadPages | None = None) -> None:
        self._bad = bad
        self._suspicion = Column(np.float32)
        self._host = Column(np.int32)
        self._linked = Column(np.int32)
        self._by_suspects = Column(np.int32)
        self._hosts: dict[str, int] = {}
        self._on_host = Column(np.int32)
        self._bad_on_host = Column(np.int32)
        self.suspects = 0
        """Fetched pages that are suspect."""

    @classmethod
    def by_file(cls, path: str) -> Distrust:
        """Distrust by a file, by none if it is ""; raises what `read_distrust` does."""
        return cls(read_distrust(path) if path else None)

    @property
    def enabled(self) -> bool:
        """Whether anything is marked bad."""
        return self._bad is not None

    @property
    def bad(self) -> int:
        """Number of known URLs that are bad."""
        return int(self._bad_on_host.array.sum())

    def extend(self, urls: Sequence[str], slots: Sequence[str]) -> None:
        """Take the URLs whose ids follow, in their order, and their hosts."""
        if self._bad is None:
            return
        self._suspicion.extend([float(url in self._bad) for url in urls])
        hosts = [self._hosts.setdefault(slot, len(self._hosts)) for slot in slots]
        self._host.extend(hosts)
        n = len(self._suspicion.array)
        for column in (self._linked, self._by_suspects):
            column.resize(n)
        for column in (self._on_host, self._bad_on_host):
            column.resize(len(self._hosts))
        new = np.array(hosts, dtype=np.int64)
        np.add.at(self._on_host.array, new, 1)
        fresh = self._suspicion.array[n - len(urls) :]
        np.add.at(self._bad_on_host.array, new[fresh == 1], 1)

    def is_bad(self, url_id: int) -> bool:
        """Whether a URL is marked bad itself."""
        return self._bad is not None and bool(self._suspicion.array[url_id] == 1)

    def suspicion(self, url_id: int) -> float:
        """Suspicion of a URL in [0, 1]; of one that was not fetched, 0 unless it is bad."""
        return float(self._suspicion.array[url_id]) if self._bad is not None else 0.0

    def heard(self, update: PageUpdate) -> PageUpdate:
        """Take in a page; return its page update, or what is left of that of a suspect page."""
        if self._bad is not None:
            self._judge(update.page, update.targets)
        return self.told(update)

    def told(self, update: PageUpdate) -> PageUpdate:
        """Return what is left of the page update of a page that was taken in before."""
        if not self.is_suspect(update.page):
            return update
        k = len(update.targets)
        return update._replace(
            weights=np.zeros(k, np.float32),
            promises=np.zeros(k, np.float32),
            matches=np.zeros((k, MATCHES), np.uint8),
        )

    def replay(self, log: GraphView) -> NDArray[np.bool_]:
        """Take in all pages of a crawl so far; (L,) which of its links are of suspect pages."""
        suspect = np.zeros(len(log.targets), np.bool_)
        if self._bad is not None:
            for row, page in enumerate(log.pages.tolist()):
                span = slice(int(log.indptr[row]), int(log.indptr[row + 1]))
                suspect[span] = self._judge(page, log.targets[span])
        return suspect

    def is_suspect(self, page: int) -> bool:
        """Whether a fetched page is suspect."""
        return self.suspicion(page) >= SUSPECT

    def lowered(
        self,
        priorities: NDArray[np.float64],
        ids: NDArray[np.int64],
        seeds: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """Return the priorities of ids; what nobody who is trusted led to comes last."""
        if self._bad is None:
            return priorities
        last = (self._alone(ids) | self._among_bad(ids)) & ~seeds[ids]
        return np.where(last, priorities - LAST, priorities)

    def is_led_to_by_suspects(self, url_id: int) -> bool:
        """Whether suspect pages alone have led to a URL."""
        return self._bad is not None and bool(self._alone(np.array([url_id]))[0])

    def is_among_bad(self, url_id: int) -> bool:
        """Whether at least half of what is known of a URL's host is marked bad."""
        return self._bad is not None and bool(self._among_bad(np.array([url_id]))[0])

    def _alone(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        linked = self._linked.array[ids]
        alone: NDArray[np.bool_] = (linked > 0) & (self._by_suspects.array[ids] == linked)
        return alone

    def _among_bad(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        hosts = self._host.array[ids]
        bad = self._bad_on_host.array[hosts]
        among: NDArray[np.bool_] = 2 * bad >= self._on_host.array[hosts] + _HOST_PRIOR
        return among

    def _judge(self, page: int, targets: NDArray[np.int32]) -> bool:
        """Set the suspicion of a page, and note whom it led to; whether it is suspect."""
        if not len(targets):
            return self.is_suspect(page)
        own = self._suspicion.array
        if own[page] < 1:
            own[page] = DECAY * float(own[targets].mean())
        suspect = self.is_suspect(page)
        self.suspects += suspect
        np.add.at(self._linked.array, targets, 1)
        if suspect:
            np.add.at(self._by_suspects.array, targets, 1)
        return suspect
