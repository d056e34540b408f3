"""The detector of crawler traps: a rule about pages, and a reason to hold URLs back.

As a rule it decides which links of an answer become URLs, and charges or credits budgets by what
the answer proves. As a reason it decides whether a URL may leave. Decisions follow from URLs, words
and relevance alone, so that a crawl and its replay decide alike.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from frontier.states import NO_MARKS, Mark, State
from frontier.traps.budgets import (
    BEHIND,
    DOMAIN_HOSTS,
    EARNED,
    FIFTH,
    HALF,
    TENTH,
    WHOLE,
    BudgetPlace,
    Budgets,
)
from frontier.traps.new_text import News, SiteTexts, words_of, words_of_url
from frontier.traps.patterns import pattern_number
from frontier.urls.domains import registered_domain
from frontier.utils import lately_seen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from frontier.records import Lease, Page, UrlRecord
    from frontier.traps.limits import TrapLimits
    from frontier.traps.refusals import Refusals
    from frontier.verdict import Verdict

TOO_MANY_HOSTS: Final = "more hosts of one domain than may be known"
NO_LONGER_THERE: Final = frozenset({400, 404, 405, 406, 409, 410, 414, 421})
"""Statuses of a wrong link. Others mean trouble or a ban, and prove nothing about the link."""
_NEAR, _CHEAP = 6, 3
"""Up to _NEAR links from a seed pages cost only a third: small sites end there, traps go on."""
HOSTS_KNOWN: Final = 30 * DOMAIN_HOSTS
"""Hosts of a domain without new text that may be known."""
_HOSTS_EARNED = 10
"""Further hosts that may be known for each host with new text."""
_LOOKED_AT, _RELEASED = 40, 10
"""Waiting URLs of a domain that are checked after it has earned something, and that are released
at most: what they earn releases others."""
_MOST_PLACES = 1 << 14
"""URLs whose place is in memory: those leased and answered last."""
_MOST_REDIRECTS = 10_000
"""Redirects in memory whose targets have no answer yet."""


def place_of(url: str, host: str) -> BudgetPlace:
    """Return the budgets that a URL of a host spends."""
    return BudgetPlace(registered_domain(host), host, pattern_number(host, url))


class TrapDetector:
    """Keeps a crawl out of traps.

    Invariant: a waiting URL is in `waiting`, by its registered domain, in the order of arrival.
    """

    def __init__(
        self,
        limits: TrapLimits,
        refusals: Refusals,
        url_of: Callable[[int], str],
        host_of: Callable[[int], str],
        queued: Callable[[Iterable[int]], int],
        waits: Callable[[int], bool],
        hosts: Iterable[str],
        relevant: float | None,
    ) -> None:
        """Begin a crawl.

        Args:
            limits: what may be spent.
            refusals: where refused links are counted.
            url_of: URL of an id.
            host_of: name of the host of an id.
            queued: how many of some ids are queued.
            waits: whether the URL of an id is one of those that wait.
            hosts: names of the hosts that are known so far.
            relevant: relevance from which a page is about the topic; None without a topic.

        """
        self._limits = limits
        self._refusals = refusals
        self._url_of = url_of
        self._host_of = host_of
        self._queued = queued
        self._waits = waits
        self._relevant = relevant
        self._budgets = Budgets(limits.budget)
        self._texts = SiteTexts()
        self._places: OrderedDict[int, BudgetPlace] = OrderedDict()
        self._redirects: OrderedDict[int, BudgetPlace] = OrderedDict()
        self._released: list[int] = []
        self.waiting: dict[str, deque[int]] = {}
        self._hosts = set(hosts)
        self._hosts_of = Counter(registered_domain(host) for host in self._hosts)

    def state(self) -> dict[str, Any]:
        """Return the spent amounts, as JSON values; the words of sites are not kept."""
        limits = {"budget": self._limits.budget, "drop": self._limits.drop}
        return {"limits": limits, **self._budgets.state()}

    def restore(self, state: dict[str, Any]) -> bool:
        """Continue with a state; True if URLs that were given up have a chance now."""
        self._budgets.restore(state)
        return self._limits.allows_more_than(**state["limits"])

    # -- answers ---------------------------------------------------------------------------------

    def judge(self, lease: Lease, page: Page, so_far: Verdict) -> Verdict:
        """Judge an answer; the verdict holds the links that may become URLs of the crawl.

        Without `drop` these are all links. A link to a known URL has its id.
        """
        followed: list[UrlRecord] = []
        fresh: list[UrlRecord] = []
        for link in so_far.links:
            if link.url_id < 0 and not link.again:
                reason = self._refusal_of_link(link) if self._limits.drop else None
                if reason is not None:
                    self._refusals.note(reason, link.url)
                    continue
                if link.slot not in self._hosts:
                    self._hosts.add(link.slot)
                    self._hosts_of[registered_domain(link.slot)] += 1
                fresh.append(link)
            followed.append(link)
        is_soft = not so_far.refetched and self._prove(lease, page, so_far, fresh)
        if not is_soft and len(followed) == len(so_far.links):
            return so_far
        marks = so_far.marks | (Mark.SOFT_404 if is_soft else NO_MARKS)
        return replace(
            so_far, links=followed, marks=marks, is_worthless=so_far.is_worthless or is_soft
        )

    def failed(self, lease: Lease, page: Page) -> None:
        """Charge a leased URL that failed for good."""
        if page.status in NO_LONGER_THERE:
            self._budgets.charge(self._place(lease.url_id, lease.url, lease.slot), HALF)

    def _refusal_of_link(self, link: UrlRecord) -> str | None:
        """Why a link must not become a URL of the crawl, by its spelling or its host; or None."""
        reason = self._limits.refusal(link.url)
        if reason is None and link.slot not in self._hosts and self._limits.budget:
            domain = registered_domain(link.slot)
            earned = _HOSTS_EARNED * self._budgets.domain(domain).earning
            if self._hosts_of[domain] - earned >= HOSTS_KNOWN:
                return TOO_MANY_HOSTS
        return reason

    def _prove(self, lease: Lease, page: Page, so_far: Verdict, fresh: list[UrlRecord]) -> bool:
        """Charge or credit an answer; returns whether it is a soft 404.

        A page that is not prose, or names another page as canonical, proves nothing.
        """
        if Mark.CANONICAL_ELSEWHERE in so_far.marks:
            return False
        place = self._place(lease.url_id, lease.url, lease.slot)
        if so_far.state_of(page) is State.CRAWLED:
            if not page.is_prose or page.text is None:
                return False
            known = {link.url_id for link in so_far.links}
            return self._read(lease, page, place, page.text.derived(words_of), fresh, known)
        for target in fresh:
            self._redirects[target.fingerprint] = place
            if len(self._redirects) > _MOST_REDIRECTS:
                self._redirects.popitem(last=False)
        self._budgets.charge(place, WHOLE if fresh else HALF)
        return False

    def _read(
        self,
        lease: Lease,
        page: Page,
        place: BudgetPlace,
        words: bytes,
        fresh: list[UrlRecord],
        known: set[int],
    ) -> bool:
        """Charge or credit a page with text; returns whether it is a soft 404."""
        anchors = words_of(" ".join([link.anchor or "" for link in fresh])) if fresh else b""
        news = self._texts[place.domain].read(words, words_of_url(lease.url), anchors)
        is_soft = self._texts.is_soft_404(place.host, words, place.pattern)
        source = self._redirects.pop(lease.fingerprint, None)
        if news is News.NEW:
            self._credit(lease, place, source, EARNED)
        elif news is News.REWORDED and self._leads_nowhere(fresh, known):
            self._credit(lease, place, source, WHOLE)
        else:
            met = bool(known - {-1, lease.referrer, lease.url_id})
            price = _price(news, fresh=bool(fresh), met=met)
            self._budgets.charge(place, price if lease.depth > _NEAR else price // _CHEAP)
        if self._relevant is not None:
            relevance = 0.0 if is_soft else page.relevance or 0.0
            about = relevance >= self._relevant
            relevant = about and news in (News.NEW, News.REWORDED)
            self._budgets.judged(place.host, relevant=relevant)
            if relevant:
                self._release(place.domain)
        return is_soft

    def _leads_nowhere(self, fresh: list[UrlRecord], known: set[int]) -> bool:
        """Whether a page has few links to new URLs: most of its links are known and queued."""
        return not fresh or self._queued(known - {-1}) >= len(fresh)

    def _credit(
        self, lease: Lease, place: BudgetPlace, source: BudgetPlace | None, earned: int
    ) -> None:
        """Credit a page, and the patterns of the pages that led to it."""
        self._budgets.credit(place, earned)
        if lease.referrer is not None:
            self._budgets.credit_pattern(self._place(lease.referrer), earned)
        if source is not None:
            self._budgets.credit_pattern(source, earned)
        self._release(place.domain)

    def _place(self, url_id: int, url: str | None = None, host: str | None = None) -> BudgetPlace:
        def place() -> BudgetPlace:
            return place_of(url or self._url_of(url_id), host or self._host_of(url_id))

        return lately_seen(self._places, url_id, place, _MOST_PLACES)

    # -- URLs that leave -------------------------------------------------------------------------

    def refusal(self, url_id: int, url: str, host: str) -> str | None:
        """Return why a URL may not leave now; None if it may, and then it leaves.

        A refused URL waits here, unless it is refused for its spelling, which does not change.
        """
        if not self._limits.drop:
            reason = self._limits.refusal(url)
            if reason is not None:
                return reason
        place = self._place(url_id, url, host)
        reason = self._budgets.refusal(place)
        if reason is None:
            self._budgets.leaves(place)
        else:
            self._wait(place.domain, url_id)
        return reason

    def _wait(self, domain: str, url_id: int) -> None:
        self.waiting.setdefault(domain, deque()).append(url_id)

    def _release(self, domain: str) -> None:
        """Release some URLs of a domain that may leave by now; the other checked ones go last."""
        line = self.waiting.get(domain)
        if line is None:
            return
        left = _RELEASED
        for _ in range(min(_LOOKED_AT, len(line))):
            url_id = line.popleft()
            if not self._waits(url_id):
                continue
            if left and self._budgets.refusal(self._place(url_id)) is None:
                left -= 1
                self._released.append(url_id)
            else:
                line.append(url_id)
        if not line:
            del self.waiting[domain]

    def take_released(self) -> list[int]:
        """Return the ids of the URLs released since the last call."""
        released, self._released = self._released, []
        return released

    def abandon(self) -> Iterator[tuple[int, str, str]]:
        """Yield (id, domain, reason) of every waiting URL without a chance.

        Of the hosts that wait for better hosts the best goes on, as there are no better ones.
        """
        waiting, self.waiting = self.waiting, {}
        behind: list[tuple[int, BudgetPlace]] = []
        for url_id in (url_id for line in waiting.values() for url_id in line):
            place = self._place(url_id)
            reason = self._budgets.refusal(place)
            if reason is None:
                self._released.append(url_id)
            elif reason is BEHIND:
                behind.append((url_id, place))
            else:
                yield url_id, place.domain, reason
        best = None
        if not self._released:
            best = self._budgets.best_behind({place.host for _, place in behind})
        for url_id, place in behind:
            if place.host == best:
                self._released.append(url_id)
            else:
                self._wait(place.domain, url_id)


def _price(news: News, *, fresh: bool, met: bool) -> int:
    """The price of a page without new text, by its links to new and to known URLs."""
    if news is News.SILENT:
        return FIFTH if fresh else 0  # a picture, a recording: nothing that could go on
    if fresh:
        return WHOLE
    return TENTH if met else HALF
