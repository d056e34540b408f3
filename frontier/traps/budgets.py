"""What a site may cost that proves nothing, and how proof earns it more (docs/traps.md).

Each *shape* of URLs on a host has a budget of pages that say nothing new, each host one for all of
its shapes, each registered domain one for its hosts. A page that says something new fills them up.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from frontier.traps.barren_hosts import Harvest, HostTrial
from frontier.traps.limits import TrapLimits

SHAPE_SPENT = "trap: pages of this shape say nothing new, see FRONTIER_SHAPE_BUDGET"
HOST_SPENT = "trap: pages of this host say nothing new, see FRONTIER_HOST_BUDGET"
UNRELATED = "trap: no page of this host is relevant, see FRONTIER_HOST_UNRELATED"
DOMAIN_SPENT = "trap: hosts of this domain say nothing new, see FRONTIER_DOMAIN_HOSTS"
BEHIND = "no page of this host is relevant, and many of the others are"
"""Why URLs wait that are not given up."""

WHOLE, HALF, TENTH = 10, 5, 1
"""Prices, in tenths of a page."""
_FANS = 8
"""Pages by which is told what a shape's fan-out was in the beginning."""
LEAST = 5
"""A page that leads back to what is known costs this part of its price."""
EARNED = 10 * WHOLE
"""What a page earns that says something new: one in eleven keeps a shape going."""
_HOST_PROVEN = 3
"""Hosts that a host earns its domain when it first says something."""
_TRIES = 12
"""Shapes of a host that are tried though its budget is spent."""
_MOST_SHAPES = 256
"""Of one host."""
_MOST_HOSTS, _MOST_BOOKS = 20_000, 100_000
"""Hosts, and shapes of all hosts, some 20 MB: the host least recently used is forgotten."""


@dataclass(slots=True)
class ShapeBudget:
    """What the URLs of one shape have left, in tenths of a page, and how often they proved it."""

    left: int
    proofs: int = 0
    fans: int = 0
    fan_out: int = 0
    """URLs that nobody knew, which the first few of its pages that had any led to."""


@dataclass(slots=True)
class HostBudget:
    """The same of a host; in a crawl with a topic, how it does beside the others."""

    left: int
    tries: int = _TRIES
    answers: int = 0
    proven: bool = False
    shapes: OrderedDict[int, ShapeBudget] = field(default_factory=OrderedDict)
    trial: HostTrial = field(default_factory=HostTrial)


@dataclass(slots=True)
class DomainBudget:
    """How many hosts of a registered domain may still say nothing new, and how many did not."""

    left: int
    proven: int = 0


class Budgets:
    """The books of all hosts, by name. Says what may leave, and is told what came of it.

    Invariant: `left` never exceeds the limit it came from, so that nothing is earned in advance.
    """

    def __init__(self, limits: TrapLimits) -> None:
        self._limits = limits
        self.hosts: OrderedDict[str, HostBudget] = OrderedDict()
        self.domains: OrderedDict[str, DomainBudget] = OrderedDict()
        self.harvest = Harvest()
        self.shapes = 0
        """Of all hosts."""

    def falls_behind(self, host: str) -> bool:
        """Whether the URLs of a host wait until those of better ones were fetched."""
        book = self.hosts.get(host)
        return book is not None and self.harvest.waits(host, book.trial)

    def refusal(self, domain: str, host: str, shape: int) -> str | None:
        """Return why a URL may not leave at all, None if it may."""
        limits, book = self._limits, self.hosts.get(host)
        if book is None or not book.answers:
            spent = limits.domain_hosts and self.domain(domain).left <= 0
            return DOMAIN_SPENT if spent else None
        own = book.shapes.get(shape)
        if limits.shape_budget and own is not None and own.left <= 0:
            return SHAPE_SPENT
        if limits.host_unrelated and book.trial.row >= limits.host_unrelated:
            return UNRELATED
        if limits.host_budget and book.left <= 0 and not self._is_excepted(own, book):
            return HOST_SPENT
        return None

    def _is_excepted(self, own: ShapeBudget | None, book: HostBudget) -> bool:
        if own is None:
            return book.tries > 0
        full = WHOLE * self._limits.shape_budget
        return own.proofs > 0 and (2 * own.left > full or not full)

    def restore(
        self, hosts: dict[str, HostBudget], domains: dict[str, DomainBudget], harvest: Harvest
    ) -> None:
        """Take over books that were kept."""
        self.hosts, self.domains = OrderedDict(hosts), OrderedDict(domains)
        self.harvest = harvest
        self.shapes = sum(len(book.shapes) for book in hosts.values())

    def leaves(self, host: str, shape: int) -> None:
        """Note that a URL leaves."""
        book = self.hosts.get(host)
        if book is not None and shape not in book.shapes and book.left <= 0:
            book.tries -= 1
            self._shape(book, shape)

    def charge(self, domain: str, host: str, shape: int, price: int) -> None:
        """Take the price of an answer that proved nothing, in tenths of a page; may be 0."""
        book = self.host(domain, host)
        if price and not book.answers:
            self.domain(domain).left -= 1
        book.answers += 1
        book.left -= price
        self._shape(book, shape).left -= price

    def credit(self, domain: str, host: str, shape: int) -> None:
        """Give what a page earns that says something new."""
        book = self.host(domain, host)
        book.answers += 1
        if not book.proven:
            book.proven = True
            of_domain = self.domain(domain)
            of_domain.proven += 1
            of_domain.left = min(of_domain.left + _HOST_PROVEN, self._limits.domain_hosts)
        book.left = min(book.left + EARNED, WHOLE * self._limits.host_budget)
        book.tries = min(book.tries + 1, _TRIES)
        self.thank(domain, host, shape, EARNED)

    def scaled(self, domain: str, host: str, shape: int, price: int, fresh: int) -> int:
        """Return a page's price where its shape leads to fewer and fewer URLs that nobody knew.

        A site that ends comes back to what is known: its pages of one shape have fewer links to
        unknown URLs than the first of them had. In a place that goes on for ever they have as many.
        """
        own = self._shape(self.host(domain, host), shape)
        if own.fans < _FANS:
            own.fans += 1
            own.fan_out += fresh
        return max(min(price, price * fresh * own.fans // own.fan_out), price // 2)

    def encourage(self, domain: str, host: str, shape: int) -> None:
        """Give what a page earns that says something in old words, and leads nowhere."""
        book = self.host(domain, host)
        book.answers += 1
        book.left = min(book.left + WHOLE, WHOLE * self._limits.host_budget)
        self.thank(domain, host, shape, WHOLE)

    def thank(self, domain: str, host: str, shape: int, earned: int) -> None:
        """Give what a page earned to a shape, its own or that of a page that led there."""
        book = self.host(domain, host)
        own = self._shape(book, shape)
        own.left = min(own.left + earned, WHOLE * self._limits.shape_budget)
        own.proofs += 1

    def judged(self, host: str, *, relevant: bool) -> None:
        """Note whether a page was about the topic of the crawl."""
        book = self.hosts.get(host)
        if book is not None:
            self.harvest.judged(host, book.trial, relevant=relevant)

    def host(self, domain: str, name: str) -> HostBudget:
        """Return the book of a host, a new one where there is none."""
        book = self.hosts.get(name)
        if book is None:
            book = self.hosts[name] = HostBudget(WHOLE * self._limits.host_budget)
            book.trial = self.harvest.begin()
            if len(self.hosts) > _MOST_HOSTS:
                self._forget_host()
        else:
            self.hosts.move_to_end(name)
        return book

    def domain(self, name: str) -> DomainBudget:
        """Return the book of a registered domain, a new one where there is none."""
        book = self.domains.get(name)
        if book is None:
            book = self.domains[name] = DomainBudget(self._limits.domain_hosts)
            if len(self.domains) > _MOST_HOSTS:
                self.domains.popitem(last=False)
        return book

    def _shape(self, book: HostBudget, shape: int) -> ShapeBudget:
        own = book.shapes.get(shape)
        if own is None:
            own = book.shapes[shape] = ShapeBudget(WHOLE * self._limits.shape_budget)
            self.shapes += 1
            if len(book.shapes) > _MOST_SHAPES:
                book.shapes.popitem(last=False)
                self.shapes -= 1
            while self.shapes > _MOST_BOOKS and len(self.hosts) > 1:
                self._forget_host()
        else:
            book.shapes.move_to_end(shape)
        return own

    def _forget_host(self) -> None:
        _, book = self.hosts.popitem(last=False)
        self.shapes -= len(book.shapes)
