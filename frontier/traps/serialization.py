"""The books of a crawl as bytes and back, so that a crawl that goes on decides as it would have.

What a domain's pages have said is kept as tables of bits, as in memory, less their zeros;
everything else as JSON. The limits they were kept under are kept with them: where a limit has grown
since, what was spent is given that much more.
"""

from __future__ import annotations

import json
import zlib
from collections import OrderedDict
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.traps._tables import sparse, spread
from frontier.traps.barren_hosts import Harvest, HostTrial
from frontier.traps.budgets import WHOLE, Budgets, DomainBudget, HostBudget, ShapeBudget
from frontier.traps.limits import TrapLimits
from frontier.traps.novelty import TABLE, SiteWords

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

_HEADER = 8
_FAST = 1
"""zlib's level."""


def packed(
    limits: TrapLimits,
    books: Budgets,
    sites: Mapping[str, SiteWords],
    sent_on: Mapping[int, tuple[str, str, int]],
    copied: Iterable[int],
) -> NDArray[np.uint8]:
    """Return everything as bytes."""
    said = {
        "limits": asdict(limits),
        "hosts": {name: _host_row(book) for name, book in books.hosts.items()},
        "domains": {name: [book.left, book.proven] for name, book in books.domains.items()},
        "harvest": [books.harvest.pages, books.harvest.relevant, *books.harvest.behind],
        "sites": {name: site.pages for name, site in sites.items()},
        "copied": [*copied],
        "sent on": [[number, *source] for number, source in sent_on.items()],
    }
    text = zlib.compress(json.dumps(said).encode(), _FAST)
    bits = b"".join([sparse(site.tables) for site in sites.values()])
    return np.frombuffer(len(text).to_bytes(_HEADER, "big") + text + bits, np.uint8)


class Kept:
    """What `packed` was given, as of then but with the budgets of now."""

    def __init__(self, data: NDArray[np.uint8], limits: TrapLimits) -> None:
        whole = data.tobytes()
        end = _HEADER + int.from_bytes(whole[:_HEADER], "big")
        said: dict[str, Any] = json.loads(zlib.decompress(whole[_HEADER:end]))
        self.limits = TrapLimits(**said["limits"])
        grown = _Grown(self.limits, limits)
        self.hosts = {name: grown.host(*row) for name, row in said["hosts"].items()}
        self.domains = {name: grown.domain(*row) for name, row in said["domains"].items()}
        self.harvest = _harvest(said["harvest"], self.hosts)
        tables = _tables(data[end:], len(said["sites"]))
        self.sites = {
            name: SiteWords(pages, one)
            for (name, pages), one in zip(said["sites"].items(), tables, strict=True)
        }
        self.copied: list[int] = said["copied"]
        self.sent_on = {number: (a, b, shape) for number, a, b, shape in said["sent on"]}


def _tables(data: NDArray[np.uint8], sites: int) -> Iterator[NDArray[np.uint8]]:
    """Yield the tables of so many sites."""
    at = 0
    for _ in range(sites):
        one = np.zeros((2, TABLE), np.uint8)
        at = spread(data, at, one)
        yield one


def _harvest(row: list[Any], hosts: Mapping[str, HostBudget]) -> Harvest:
    harvest = Harvest()
    harvest.pages, harvest.relevant, *behind = row
    harvest.behind.update((name, hosts[name].trial) for name in behind if name in hosts)
    return harvest


def _host_row(book: HostBudget) -> list[Any]:
    shapes = [
        [number, own.left, own.proofs, own.fans, own.fan_out] for number, own in book.shapes.items()
    ]
    trial = book.trial
    since = [trial.pages, trial.relevant, trial.unrelated, trial.until]
    return [book.left, book.tries, trial.row, book.answers, book.proven, shapes, *since]


class _Grown:
    """Books under other limits than those they were kept under."""

    def __init__(self, then: TrapLimits, now: TrapLimits) -> None:
        self._then, self._now = then, now

    def _left(self, left: int, name: str, unit: int) -> int:
        then: int = unit * getattr(self._then, name)
        now: int = unit * getattr(self._now, name)
        return min(left + now - then, now) if then else now

    def host(
        self,
        left: int,
        tries: int,
        row: int,
        answers: int,
        proven: bool,  # noqa: FBT001  # a column
        shapes: list[tuple[int, int, int, int, int]],
        pages: int,
        relevant: int,
        unrelated: int,
        until: int,
    ) -> HostBudget:
        books = OrderedDict(
            (number, ShapeBudget(self._left(of_shape, "shape_budget", WHOLE), *rest))
            for number, of_shape, *rest in shapes
        )
        left = self._left(left, "host_budget", WHOLE)
        trial = HostTrial(pages, relevant, unrelated, row, until)
        return HostBudget(left, tries, answers, proven, books, trial)

    def domain(self, left: int, proven: int) -> DomainBudget:
        return DomainBudget(self._left(left, "domain_hosts", 1), proven)
