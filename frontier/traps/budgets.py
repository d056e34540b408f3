"""Budgets of pages without new text, and what new text earns (docs/traps.md).

Each URL pattern of a host has a budget of pages without new text, each host a budget for all of its
patterns, each registered domain a budget for its hosts. A page with new text refills them. In a
crawl with a topic a host also waits while its pages are irrelevant and those of other hosts are
not.

The spent amount is counted, so that a crawl resumed with a larger budget has more left.
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
"""The reason of URLs that wait and are not given up."""

WHOLE, HALF, FIFTH, TENTH = 10, 5, 2, 1
"""Prices, in tenths of a page."""
EARNED: Final = 10 * WHOLE
"""Earnings of a page with new text: one such page in eleven keeps a pattern going."""
DOMAIN_HOSTS: Final = 32
"""Hosts of a registered domain without new text."""
_HOST_SHARE = 1.5
"""Budget of a host, in those of a pattern."""
_HOST_PROVEN = 3
"""Hosts that the first new text of a host earns for its domain."""
_TRIES = 12
"""Patterns of a host that may be tried after its budget is spent."""
_UNRELATED_ROW, _NTH = 50, 20
"""Irrelevant pages of a host in a row after which it waits, if the other hosts had a relevant page
for each _NTH of them."""
_MOST_UNRELATED = 5_000
"""Irrelevant pages of a host in a row, at most, in a crawl with a topic."""
_MOST_PATTERNS, _MOST_HOSTS = 128, 10_000
"""Patterns of a host, and hosts, in memory: those not seen for longest are forgotten."""


class BudgetPlace(NamedTuple):
    """The budgets of a URL: its registered domain, its host, the number of its pattern."""

    domain: str
    host: str
    pattern: int


@dataclass(slots=True)
class PatternBudget:
    """The amount spent by the URLs of a pattern, in tenths of a page."""

    spent: int = 0
    earns: bool = False
    """Whether one of its pages had new text, or led to a page with new text."""


@dataclass(slots=True)
class HostBudget:
    """The amount spent by a host, and its irrelevant pages in a row.

    `row` counts pages since the last relevant one; `others` is the number of relevant pages of the
    crawl at that time.
    """

    spent: int = 0
    tries: int = _TRIES
    answered: bool = False
    earns: bool = False
    row: int = 0
    others: int = 0
    patterns: OrderedDict[int, PatternBudget] = field(default_factory=OrderedDict)


@dataclass(slots=True)
class DomainBudget:
    """Numbers of hosts of a registered domain without new text, and with new text."""

    spent: int = 0
    earning: int = 0


class Budgets:
    """The budgets of all hosts and domains.

    Invariant: no amount is below 0, so that nothing is earned in advance.
    """

    def __init__(self, budget: int) -> None:
        """`budget` is that of a pattern, in pages; 0: unlimited."""
        self._of_pattern = WHOLE * budget
        self._of_host = _HOST_SHARE * WHOLE * budget
        self._hosts: OrderedDict[str, HostBudget] = OrderedDict()
        self._domains: OrderedDict[str, DomainBudget] = OrderedDict()
        self._relevant = 0

    # -- leaving ---------------------------------------------------------------------

    def refusal(self, place: BudgetPlace) -> str | None:
        """Return why a URL may not leave, None if it may."""
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
        """Let the host go on that has the fewest irrelevant pages in a row."""
        behind = [host for host in hosts if host in self._hosts]
        if not behind:
            return None
        best = min(behind, key=lambda host: (self._hosts[host].row, host))
        self._hosts[best].others = self._relevant
        return best

    # -- answers -------------------------------------------------------------------------

    def charge(self, place: BudgetPlace, price: int) -> None:
        """Charge an answer without new text, in tenths of a page; may be 0."""
        book = self._host(place.host)
        if price and not book.answered:
            self.domain(place.domain).spent += 1
        book.answered = True
        book.spent += price
        self._pattern(book, place.pattern).spent += price

    def credit(self, place: BudgetPlace, earned: int) -> None:
        """Credit the earnings of a page with new text, in tenths, to its pattern and host."""
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
        """Credit earnings to the pattern of a page that led to new text."""
        own = self._pattern(self._host(place.host), place.pattern)
        own.spent = max(own.spent - earned, 0)
        own.earns = True

    def judged(self, host: str, *, relevant: bool) -> None:
        """Count a page of a host as relevant or not."""
        book = self._host(host)
        self._relevant += relevant
        if relevant:
            book.row, book.others = 0, self._relevant
        else:
            book.row += 1

    # -- tables -----------------------------------------------------------------------------------

    def _host(self, name: str) -> HostBudget:
        return lately_seen(
            self._hosts, name, lambda: HostBudget(others=self._relevant), _MOST_HOSTS
        )

    def domain(self, name: str) -> DomainBudget:
        """Return the budget of a registered domain, a new one if there is none."""
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
        """Return the state for `restore`, as JSON values."""
        return {
            "hosts": [[name, *_host_row(book)] for name, book in self._hosts.items()],
            "domains": [[name, *astuple(book)] for name, book in self._domains.items()],
            "relevant": self._relevant,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue with a state."""
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
