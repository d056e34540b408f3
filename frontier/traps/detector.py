"""The watch over traps, as the backend keeps it: which links become URLs, which URLs may leave, and
what the answers prove.

It is told of an answer once, before the answer is written down, and then says which of its links
are followed. It is asked before a URL leaves. What is decided follows from URLs, words and
relevance alone, so that a crawl and its replay decide alike.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, Final, TypeVar

from frontier.states import NAMED, Mark, State
from frontier.traps._words import Words
from frontier.traps.budgets import BEHIND, EARNED, HALF, LEAST, TENTH, WHOLE, Budgets
from frontier.traps.novelty import SiteWords, Verdict, words_of
from frontier.traps.serialization import Kept, packed
from frontier.traps.shapes import Shapes, shape_number
from frontier.traps.soft404 import Soft404Pages
from frontier.traps.suspended_urls import Parked, Waiting
from frontier.traps.url_limits import UrlLimits
from frontier.urls.domains import registered_domain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from frontier.records import HandedOut, PageRecord, UrlRecord
    from frontier.traps.limits import TrapLimits
    from frontier.traps.refusals import Refusals

_T = TypeVar("_T")
TOO_MANY_HOSTS = "more hosts of one domain than FRONTIER_DOMAIN_HOSTS allows"

NO_LONGER_THERE: Final = frozenset({400, 404, 405, 406, 409, 410, 414, 421})
"""Statuses that say that a link was wrong. Others say that a server is in trouble or must not be
asked, which proves nothing."""
NEAR, CHEAP = 6, 3
"""Links from a seed up to which pages cost only a third: small sites end there, traps go on."""
_MOST_SITES = 500
"""Domains whose words are remembered, 16 MB: those lately seen."""
_HOSTS_KNOWN = 30
"""Hosts of a domain that may be known for each that may say nothing new."""
_HOSTS_EARNED = 10
"""Hosts that may be known for each that said something."""
_MOST_WAITING = 2_000
"""URLs of a domain that wait; from there on its links are refused that would have to, where what
waits is given up in the end."""
_OLD_WORDS = (Verdict.REWORDED, Verdict.MENTIONS, Verdict.ECHO)
_MOST_SENT_ON = 10_000
"""Redirects whose targets were not answered yet, and originals whose copies were."""


class TrapDetector:
    """Keeps one crawl out of traps."""

    def __init__(
        self,
        limits: TrapLimits,
        refusals: Refusals,
        url_of: Callable[[int], str],
        host_of: Callable[[int], str],
        state_of: Callable[[int], State],
        queued: Callable[[Iterable[int]], int],
        waits: Callable[[int], bool],
        hosts: Iterable[str],
        relevant: float | None,
    ) -> None:
        """Watch a crawl.

        Args:
            limits: what may be spent.
            refusals: where refused links are counted.
            url_of: URL of an id.
            host_of: name of the host of an id.
            state_of: state of an id.
            queued: how many of some ids are queued.
            waits: whether the URL of an id is one of those that wait.
            hosts: names of the hosts that are known so far.
            relevant: relevance from which a page is about the topic; None without a topic.

        """
        self._limits = limits
        self._refusals = refusals
        self._url_of = url_of
        self._host_of = host_of
        self._state_of = state_of
        self._queued = queued
        self._waits = waits
        self._relevant = relevant
        self._admission = UrlLimits(limits)
        self._budgets = Budgets(limits)
        self._sites: OrderedDict[str, SiteWords] = OrderedDict()
        self._soft = Soft404Pages()
        self._sent_on: OrderedDict[int, tuple[str, str, int]] = OrderedDict()
        self._copied: OrderedDict[int, tuple[()]] = OrderedDict()
        self._shapes = Shapes()
        self._released: list[int] = []
        self.waiting = Waiting()
        self._hosts = set(hosts)
        self._hosts_of = Counter(registered_domain(host) for host in self._hosts)

    # -- what is known of a crawl that goes on ---------------------------------------------------

    def packed(self) -> NDArray[np.uint8]:
        """Everything that decides, as bytes; what waits is found out again."""
        return packed(self._limits, self._budgets, self._sites, self._sent_on, self._copied)

    @property
    def shapes(self) -> int:
        """Shapes of URLs that have a budget."""
        return self._budgets.shapes

    def restore(self, data: NDArray[np.uint8]) -> bool:
        """Take up what `packed` gave; True if what was given up may have a chance now."""
        kept = Kept(data, self._limits)
        self._budgets.restore(kept.hosts, kept.domains, kept.harvest)
        self._sites = OrderedDict(kept.sites)
        self._sent_on = OrderedDict(kept.sent_on)
        self._copied = OrderedDict((number, ()) for number in kept.copied)
        return self._limits.allows_more_than(kept.limits)

    # -- answers --------------------------------------------------------------------------------

    def follow(self, handed: HandedOut, links: Sequence[UrlRecord]) -> list[UrlRecord]:
        """Take in an answer, and return those of its links that may become URLs of the crawl.

        They are all of them where nothing is given up. Sets marks in the record of the page.
        Links to URLs that are known have their id.
        """
        known = [link.url_id for link in links]
        followed: list[UrlRecord] = []
        fresh: list[UrlRecord] = []
        drop, some_wait = self._limits.drop, bool(self.waiting)
        for link, url_id in zip(links, known, strict=True):
            if url_id < 0 and not link.again:
                reason = self._admission.refusal(link.url) if drop else None
                if reason is None and drop and (some_wait or link.slot not in self._hosts):
                    reason = self._refusal(link)
                if reason is not None:
                    self._refusals.note(reason, link.url)
                    continue
                if link.slot not in self._hosts:
                    self._know_host(link.slot)
                fresh.append(link)
            followed.append(link)
        if not handed.page.refetched:
            self._judge(handed, links, fresh, known)
        return followed

    def failed(self, handed: HandedOut) -> None:
        """Take in that a hand-out failed for good."""
        if handed.page.status in NO_LONGER_THERE:
            self._budgets.charge(*self._place(handed), HALF)

    def _place(self, handed: HandedOut) -> tuple[str, str, int]:
        host = handed.slot
        return registered_domain(host), host, self._shapes.note(handed.url_id, host, handed.url)

    def _place_of(self, url_id: int) -> tuple[str, str, int]:
        host, shape = self._host_of(url_id), self._shapes.find(url_id)
        if shape is None:
            shape = self._shapes.note(url_id, host, self._url_of(url_id))
        return registered_domain(host), host, shape

    def _refusal(self, link: UrlRecord) -> str | None:
        """Why a link is not to become a URL of the crawl, for its host or those that wait."""
        host = link.slot
        domain = registered_domain(host)
        if host not in self._hosts and self._has_hosts_enough(domain):
            return TOO_MANY_HOSTS
        if self.waiting.of(domain) >= _MOST_WAITING:
            return self._budgets.refusal(domain, host, shape_number(host, link.url))
        return None

    def _has_hosts_enough(self, domain: str) -> bool:
        most = _HOSTS_KNOWN * self._limits.domain_hosts
        n = self._hosts_of[domain]
        return 0 < most <= n - _HOSTS_EARNED * self._budgets.domain(domain).proven

    def _know_host(self, host: str) -> None:
        self._hosts.add(host)
        self._hosts_of[registered_domain(host)] += 1

    def _leads_nowhere(self, fresh: list[UrlRecord], known: Sequence[int]) -> bool:
        """Whether a page has few links to unknown URLs: others had named most, and they wait."""
        return not fresh or self._queued({*known} - {-1}) >= len(fresh)

    def _judge(
        self,
        handed: HandedOut,
        links: Sequence[UrlRecord],
        fresh: list[UrlRecord],
        known: Sequence[int],
    ) -> None:
        """Charge or credit a page; one that is no prose proves nothing."""
        record = handed.page
        copy = Mark.CANONICAL_ELSEWHERE in record.marks
        if record.state is State.CRAWLED or copy:
            text = record.text if record.is_prose else None
            if text is not None and not (copy and self._is_known_copy(links, known)):
                self._read(handed, text.derived(words_of), fresh, known)
            return
        price = WHOLE if fresh else HALF
        place = self._place(handed)
        if record.state is State.REDIRECTED:
            for target in fresh:
                self._send_on(target, place)
        self._budgets.charge(*place, price)

    def _is_known_copy(self, links: Sequence[UrlRecord], known: Sequence[int]) -> bool:
        """Whether the page that a copy names as its original was fetched; if not, it will be."""
        for link, url_id in zip(links, known, strict=True):
            if link.flags & NAMED:
                if url_id >= 0 and self._state_of(url_id) in (State.CRAWLED, State.REDIRECTED):
                    return True
                _remember(self._copied, link.fingerprint, ())
        return False

    def _send_on(self, target: UrlRecord, source: tuple[str, str, int]) -> None:
        """Remember who led to a page that may prove something: what was charged is given back."""
        _remember(self._sent_on, target.fingerprint, source)

    def _read(
        self, handed: HandedOut, words: Words, fresh: list[UrlRecord], known: Sequence[int]
    ) -> None:
        place = domain, host, shape = self._place(handed)
        record = handed.page
        site, body = self._site(domain), record.hash
        verdict = site.judge(words, *((_names(fresh), handed.url) if fresh else ()))
        if verdict is Verdict.SILENT and fresh and body is not None and site.has_had(body):
            verdict = Verdict.SAME
        if record.state is State.CRAWLED and self._soft.is_soft(
            host, words.whole, words.distinct, shape
        ):
            _mark_soft(record)
        sent_from = self._sent_on.pop(handed.fingerprint, None)
        told = self._copied.pop(handed.fingerprint, None)
        if verdict is Verdict.NEW:
            self._budgets.credit(*place)
            self._thank(handed, domain, sent_from, EARNED)
        elif verdict in _OLD_WORDS and self._leads_nowhere(fresh, known):
            self._budgets.encourage(*place)
            self._thank(handed, domain, sent_from, WHOLE)
        else:
            met = {*known} - {-1, handed.referrer, handed.url_id}
            price = 0 if told is not None else _price(verdict, bool(fresh), bool(fresh or met))
            if fresh:
                price = self._budgets.scaled(*place, price, len(fresh))
            elif met:
                price = price // LEAST or min(price, TENTH)
            self._budgets.charge(*place, price if handed.depth > NEAR else price // CHEAP)
        if self._relevant is not None:
            about = (record.relevance or 0) >= self._relevant
            self._budgets.judged(host, relevant=about and verdict.is_said)
            self._go_on()

    def _thank(
        self, handed: HandedOut, domain: str, sent_from: tuple[str, str, int] | None, earned: int
    ) -> None:
        """Let the page that found this one, and a redirect to it, earn the same."""
        found_on = handed.referrer
        if found_on is not None:
            self._budgets.thank(*self._place_of(found_on), earned)
        if sent_from is not None:
            self._budgets.thank(*sent_from, earned)
        self._released += self.waiting.release(domain, self._waits, self._may_leave)

    def _go_on(self) -> None:
        """Let the URLs of a host leave that need not wait any more for those of better ones."""
        host = self._budgets.harvest.caught_up()
        if host is not None:
            domain = registered_domain(host)
            for one in self.waiting.take(domain):
                if self._host_of(one.url_id) == host and self._may_leave(one):
                    self._released.append(one.url_id)
                elif self._waits(one.url_id):
                    self.waiting.park(domain, one)

    def _site(self, domain: str) -> SiteWords:
        site = self._sites.get(domain)
        if site is None:
            full = len(self._sites) >= _MOST_SITES
            site = self._sites.popitem(last=False)[1].emptied() if full else SiteWords()
            self._sites[domain] = site
        else:
            self._sites.move_to_end(domain)
        return site

    # -- hand-outs ------------------------------------------------------------------------------

    def refusal(self, url_id: int, url: str, host: str) -> str | None:
        """Return why a URL may not be handed out now; None if it may, and leaves.

        It waits here, but for one that is refused by how it is spelled: that does not change.
        """
        if not self._limits.drop:
            reason = self._admission.refusal(url)
            if reason is not None:
                return reason
        domain = registered_domain(host)
        one = Parked(url_id, self._shapes.note(url_id, host, url))
        reason = self._reason(domain, host, one.shape)
        if reason is None:
            self._budgets.leaves(host, one.shape)
        else:
            self.waiting.park(domain, one)
        return reason

    def _reason(self, domain: str, host: str, shape: int) -> str | None:
        reason = self._budgets.refusal(domain, host, shape)
        if reason is None and self._relevant is not None and self._budgets.falls_behind(host):
            return BEHIND
        return reason

    def _may_leave(self, one: Parked) -> bool:
        host = self._host_of(one.url_id)
        return self._reason(registered_domain(host), host, one.shape) is None

    def take_released(self) -> list[int]:
        """Return the ids of the URLs that may leave again since the last call."""
        released, self._released = self._released, []
        return released

    def abandon(self) -> Iterator[tuple[int, str, str]]:
        """Yield (id, domain, reason) of every URL that waits and has no chance left.

        Of the hosts that wait for better ones the best leaves again: there are none.
        """
        parked = list(self.waiting.take_all())
        soft = []
        for domain, one in parked:
            host = self._host_of(one.url_id)
            reason = self._reason(domain, host, one.shape)
            if reason is None or reason is BEHIND:
                soft.append((domain, host, one))
            else:
                yield one.url_id, domain, reason
        waiting = {host for _, host, _ in soft}
        leaving = waiting - self._budgets.harvest.behind.keys()
        while waiting and not leaving:
            leaving = waiting & {self._budgets.harvest.next_best()}
        for domain, host, one in soft:
            if host in leaving:
                self._released.append(one.url_id)
            else:
                self.waiting.park(domain, one)


def _mark_soft(page: PageRecord) -> None:
    page.marks |= Mark.SOFT_404
    page.relevance = page.similarity = None if page.relevance is None else 0.0


def _remember(of: OrderedDict[int, _T], number: int, what: _T) -> None:
    of[number] = what
    if len(of) > _MOST_SENT_ON:
        of.popitem(last=False)


def _names(fresh: list[UrlRecord]) -> Words:
    """What a page calls the pages that it is the first to link to."""
    return words_of("\n".join(link.anchor or "" for link in fresh))


def _price(verdict: Verdict, discovers: bool, leads_on: bool) -> int:  # noqa: FBT001
    if verdict is Verdict.MENTIONS:
        return 0
    if verdict is Verdict.SAME:
        return WHOLE
    if verdict in (Verdict.SILENT, Verdict.REWORDED):
        return TENTH if leads_on else 0  # a picture, a recording: nothing that could go on
    return WHOLE if discovers and verdict is not Verdict.ECHO else HALF
