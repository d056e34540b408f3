"""What a site may cost without new text, and how new text earns it more (docs/traps.md).

Each URL pattern of a host has a budget of pages without new text, each host one for all of its
patterns, each registered domain one for its hosts. A page with new text fills them up again. In a
crawl with a topic a host also waits while it brings nothing relevant and others do.

Counted is what was spent, so that a crawl that goes on with a larger budget has more left.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import astuple, dataclass, field
from typing import Any, Final, NamedTuple

from frontier.utils import lately_seen

PATTERN_SPENT: Final = "trap: pages of this URL pattern say nothing new, see FRONTIER_TRAP_BUDGET"
HOST_SPENT: Final = "trap: pages of this host say nothing new, see FRONTIER_TRAP_BUDGET"
DOMAIN_SPENT: Final = "trap: hosts of this domain say nothing new"
UNRELATED: Final = "trap: no page of this host is relevant"
BEHIND: Final = "no page of this host is relevant, and some of the others are"
"""Why URLs wait that are not given up."""

WHOLE, HALF, FIFTH, TENTH = 10, 5, 2, 1
"""Prices, in tenths of a page."""
EARNED: Final = 10 * WHOLE
"""What a page with new text earns: one in eleven keeps a pattern going."""
DOMAIN_HOSTS: Final = 32
"""Hosts of a registered domain without new text."""
_HOST_SHARE = 1.5
"""Budget of a host, in those of a pattern."""
_HOST_PROVEN = 3
"""Hosts that a host earns its domain with its first new text."""
_TRIES = 12
"""Patterns of a host that are tried though its budget is spent."""
_UNRELATED_ROW, _NTH = 50, 20
"""Pages of a host in a row without a relevant one after which it waits, if the others had one for
each so many of these."""
_MOST_UNRELATED = 5_000
"""Pages of a host in a row without a relevant one, in a crawl with a topic."""
_MOST_PATTERNS, _MOST_HOSTS = 128, 10_000
"""Patterns of a host, and hosts: those not seen for longest are forgotten."""


class BudgetPlace(NamedTuple):
    """Where a URL lies: its registered domain, its host, the number of its pattern."""

    domain: str
    host: str
    pattern: int


@dataclass(slots=True)
class PatternBudget:
    """What the URLs of one pattern have spent, in tenths of a page."""

    spent: int = 0
    earns: bool = False
    """Whether a page of it had new text, or led to one."""


@dataclass(slots=True)
class HostBudget:
    """The same of a host; `row` pages since the last relevant one, when others had `others`."""

    spent: int = 0
    tries: int = _TRIES
    answered: bool = False
    earns: bool = False
    row: int = 0
    others: int = 0
    patterns: OrderedDict[int, PatternBudget] = field(default_factory=OrderedDict)


@dataclass(slots=True)
class DomainBudget:
    """How many hosts of a registered domain had no new text, and how many had some."""

    spent: int = 0
    earning: int = 0


class Budgets:
    """What all hosts have spent, by name.

    Invariant: nothing is below 0, so that nothing is earned in advance.
    """

    def __init__(self, budget: int) -> None:
        """`budget` is that of a pattern, in pages; 0: none ends."""
        self._of_pattern = WHOLE * budget
        self._of_host = _HOST_SHARE * WHOLE * budget
        self._hosts: OrderedDict[str, HostBudget] = OrderedDict()
        self._domains: OrderedDict[str, DomainBudget] = OrderedDict()
        self._relevant = 0

    # -- what may be fetched ---------------------------------------------------------------------

    def refusal(self, place: BudgetPlace) -> str | None:
        """Return why a URL may not leave at all, None if it may."""
        if not self._of_pattern:
            return None
        book = self._hosts.get(place.host)
        if book is None or not book.answered:
            return DOMAIN_SPENT if self.domain(place.domain).spent >= DOMAIN_HOSTS else None
        own = book.patterns.get(place.pattern)
        if own is not None and own.spent >= self._of_pattern:
            return PATTERN_SPENT
        if book.row >= _MOST_UNRELATED:
            return UNRELATED
        if book.spent >= self._of_host and not self._is_excepted(own, book):
            return HOST_SPENT
        return BEHIND if self._is_behind(book) else None

    def _is_excepted(self, own: PatternBudget | None, book: HostBudget) -> bool:
        if own is None:
            return book.tries > 0
        return own.earns and 2 * own.spent < self._of_pattern

    def _is_behind(self, book: HostBudget) -> bool:
        others = self._relevant - book.others
        return book.row >= _UNRELATED_ROW and _NTH * others >= book.row

    def leaves(self, place: BudgetPlace) -> None:
        """Note that a URL leaves."""
        book = self._hosts.get(place.host)
        if book is not None and place.pattern not in book.patterns and book.spent >= self._of_host:
            book.tries -= 1
            self._pattern(book, place.pattern)

    def best_behind(self, hosts: set[str]) -> str | None:
        """Let that one of some hosts go on that has been without a relevant page for shortest."""
        behind = [host for host in hosts if host in self._hosts]
        if not behind:
            return None
        best = min(behind, key=lambda host: (self._hosts[host].row, host))
        self._hosts[best].others = self._relevant
        return best

    # -- what came of it -------------------------------------------------------------------------

    def charge(self, place: BudgetPlace, price: int) -> None:
        """Take the price of an answer without new text, in tenths of a page; may be 0."""
        book = self._host(place.host)
        if price and not book.answered:
            self.domain(place.domain).spent += 1
        book.answered = True
        book.spent += price
        self._pattern(book, place.pattern).spent += price

    def credit(self, place: BudgetPlace, earned: int) -> None:
        """Give what a page with new text earns, in tenths of a page, to its pattern and host."""
        book = self._host(place.host)
        book.answered = True
        if earned >= EARNED:
            book.tries = min(book.tries + 1, _TRIES)
            if not book.earns:
                book.earns = True
                domain = self.domain(place.domain)
                domain.earning += 1
                domain.spent = max(domain.spent - _HOST_PROVEN, 0)
        book.spent = max(book.spent - earned, 0)
        self.credit_pattern(place, earned)

    def credit_pattern(self, place: BudgetPlace, earned: int) -> None:
        """Give it to the pattern of a page that led there."""
        own = self._pattern(self._host(place.host), place.pattern)
        own.spent = max(own.spent - earned, 0)
        own.earns = True

    def judged(self, host: str, *, relevant: bool) -> None:
        """Note whether a page of a host was about the topic of the crawl."""
        book = self._host(host)
        self._relevant += relevant
        if relevant:
            book.row, book.others = 0, self._relevant
        else:
            book.row += 1

    # -- books -----------------------------------------------------------------------------------

    def _host(self, name: str) -> HostBudget:
        return lately_seen(
            self._hosts, name, lambda: HostBudget(others=self._relevant), _MOST_HOSTS
        )

    def domain(self, name: str) -> DomainBudget:
        """Return the book of a registered domain, a new one where there is none."""
        book = self._domains.get(name)
        if book is None:
            book = self._domains[name] = DomainBudget()
            if len(self._domains) > _MOST_HOSTS:
                self._domains.popitem(last=False)
        return book

    @staticmethod
    def _pattern(book: HostBudget, number: int) -> PatternBudget:
        return lately_seen(book.patterns, number, PatternBudget, _MOST_PATTERNS)

    def state(self) -> dict[str, Any]:
        """Return what `restore` needs, as JSON has it."""
        return {
            "hosts": [[name, *_host_row(book)] for name, book in self._hosts.items()],
            "domains": [[name, *astuple(book)] for name, book in self._domains.items()],
            "relevant": self._relevant,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Go on with what `state` gave."""
        for name, *row, patterns in state["hosts"]:
            book = self._hosts[name] = HostBudget(*row)
            for number, spent, earns in patterns:
                book.patterns[number] = PatternBudget(spent, earns)
        for name, *row in state["domains"]:
            self._domains[name] = DomainBudget(*row)
        self._relevant = state["relevant"]


def _host_row(book: HostBudget) -> list[Any]:
    patterns = [[number, own.spent, own.earns] for number, own in book.patterns.items()]
    return [book.spent, book.tries, book.answered, book.earns, book.row, book.others, patterns]
