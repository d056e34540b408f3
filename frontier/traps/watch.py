"""The watch over traps, as the backend keeps it: which links become URLs, which URLs may leave, and
what the answers prove.

It is told of an answer once, before the answer is written down, and then says which of its links
are followed. It is asked before a URL leaves. What is decided follows from URLs, words and
relevance alone, so that a crawl and its replay decide alike.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from frontier import meta as key
from frontier.domains import registered_domain
from frontier.states import Mark, State
from frontier.traps.admission import Admission
from frontier.traps.budgets import EARNED, HALF, LEAST, WHOLE, Budgets
from frontier.traps.keeping import Kept, packed
from frontier.traps.novelty import SiteWords, Verdict, Words, words_of
from frontier.traps.shapes import shape_number
from frontier.traps.softpages import SoftPages
from frontier.traps.waiting import Parked, Waiting
from frontier.urls import slot_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import numpy as np
    from frontera.core.models import Request
    from numpy.typing import NDArray

    from frontier.traps.limits import TrapLimits
    from frontier.traps.refusals import Refusals

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
"""URLs of a domain that wait; from there on its links are refused that would have to."""
_MOST_SENT_ON = 10_000
"""Redirects whose targets were not answered yet."""


class TrapWatch:
    """Keeps one crawl out of traps.

    Invariant: a URL that waits here is in no queue.
    """

    def __init__(
        self,
        limits: TrapLimits,
        refusals: Refusals,
        find: Callable[[Sequence[int]], list[int]],
        url_of: Callable[[int], str],
        waits: Callable[[int], bool],
        hosts: Iterable[str],
        relevant: float | None,
    ) -> None:
        """Watch a crawl.

        Args:
            limits: what may be spent.
            refusals: where refused links are counted.
            find: id of each fingerprint, -1 where it was never met.
            url_of: URL of an id.
            waits: whether the URL of an id is to be fetched still.
            hosts: names of the hosts that are known so far.
            relevant: relevance from which a page is about the topic; None without a topic.

        """
        self._limits = limits
        self._refusals = refusals
        self._find = find
        self._url_of = url_of
        self._waits = waits
        self._relevant = relevant
        self._admission = Admission(limits)
        self._budgets = Budgets(limits)
        self._sites: OrderedDict[str, SiteWords] = OrderedDict()
        self._soft = SoftPages()
        self._sent_on: OrderedDict[int, tuple[str, str, int]] = OrderedDict()
        self._released: list[int] = []
        self.waiting = Waiting()
        self._hosts = set(hosts)
        self._hosts_of = Counter(registered_domain(host) for host in self._hosts)

    # -- what is known of a crawl that goes on ---------------------------------------------------

    def packed(self) -> NDArray[np.uint8]:
        """Everything that decides, as bytes; what waits is found out again."""
        books = self._budgets
        return packed(self._limits, books.hosts, books.domains, self._sites, self._sent_on)

    @property
    def sites(self) -> int:
        """Domains whose words are remembered."""
        return len(self._sites)

    def restore(self, data: NDArray[np.uint8]) -> bool:
        """Take up what `packed` gave; True if what was given up may have a chance now."""
        kept = Kept(data, self._limits)
        self._budgets.restore(kept.hosts, kept.domains)
        self._sites = OrderedDict(kept.sites)
        self._sent_on = OrderedDict(kept.sent_on)
        return self._limits.allows_more_than(kept.limits)

    # -- answers --------------------------------------------------------------------------------

    def follow(self, page: Request, links: Sequence[Request]) -> list[Request]:
        """Take in an answer, and return those of its links that may become URLs of the crawl.

        Sets marks in the facts of the page.
        """
        known = self._find([link.meta[key.FINGERPRINT] for link in links])
        followed: list[Request] = []
        fresh: list[Request] = []
        for link, url_id in zip(links, known, strict=True):
            if url_id < 0 and not link.meta[key.AGAIN]:
                reason = self._refusal(link)
                if reason is not None:
                    self._refusals.note(reason, link.url)
                    continue
                self._know_host(link.meta[key.SLOT])
                fresh.append(link)
            followed.append(link)
        if not page.meta[key.REFETCHED]:
            self._judge(page, fresh, known)
        return followed

    def failed(self, page: Request) -> None:
        """Take in that a hand-out failed for good."""
        if page.meta[key.PAGE].status in NO_LONGER_THERE:
            self._budgets.charge(*self._place(page), HALF)

    def _place(self, request: Request) -> tuple[str, str, int]:
        host = request.meta[key.SLOT]
        return registered_domain(host), host, shape_number(host, request.url)

    def _refusal(self, link: Request) -> str | None:
        """Why a link that nobody knew is not to become a URL of the crawl."""
        reason = self._admission.refusal(link.url)
        if reason is not None:
            return reason
        host = link.meta[key.SLOT]
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
        if host not in self._hosts:
            self._hosts.add(host)
            self._hosts_of[registered_domain(host)] += 1

    def _leads_nowhere(self, fresh: list[Request], known: Sequence[int]) -> bool:
        """Whether a page has few links to unknown URLs: others had named most, and they wait."""
        waiting = sum(self._waits(url_id) for url_id in set(known) if url_id >= 0)
        return waiting >= len(fresh)

    def _judge(self, page: Request, fresh: list[Request], known: Sequence[int]) -> None:
        """Charge or credit a page."""
        facts = page.meta[key.PAGE]
        if facts.state is State.CRAWLED:
            text = page.meta.get(key.TEXT)
            if text is not None:
                self._read(page, words_of(text), fresh, known)
            return
        price = WHOLE if fresh else HALF
        place = self._place(page)
        if facts.state is State.REDIRECTED:
            for target in fresh:
                self._send_on(target, place)
        self._budgets.charge(*place, price)

    def _send_on(self, target: Request, source: tuple[str, str, int]) -> None:
        """Remember who led to a page that may prove something: what was charged is given back."""
        self._sent_on[target.meta[key.FINGERPRINT]] = source
        if len(self._sent_on) > _MOST_SENT_ON:
            self._sent_on.popitem(last=False)

    def _read(
        self, page: Request, words: Words, fresh: list[Request], known: Sequence[int]
    ) -> None:
        place = domain, host, shape = self._place(page)
        site, body = self._site(domain), page.meta[key.PAGE].content_hash
        verdict = site.judge(words, _names(fresh) if fresh else None)
        if verdict is Verdict.SILENT and body is not None and site.has_had(body):
            verdict = Verdict.SAME
        if self._soft.is_soft(host, words.whole, len(set(words.hashes.tolist())), shape):
            self._mark_soft(page)
        sent_from = self._sent_on.pop(page.meta[key.FINGERPRINT], None)
        if verdict is Verdict.NEW:
            self._budgets.credit(*place)
            self._thank(page, domain, sent_from, EARNED)
        elif verdict is Verdict.REWORDED and self._leads_nowhere(fresh, known):
            self._budgets.encourage(*place)
            self._thank(page, domain, sent_from, WHOLE)
        else:
            price = _price(verdict, leads_on=bool(fresh))
            if fresh:
                price = self._budgets.scaled(*place, price, len(fresh))
            elif {*known} - {-1, page.meta.get(key.REFERRER), page.meta[key.ID]}:
                price //= LEAST
            self._budgets.charge(*place, price if page.meta[key.DEPTH] > NEAR else price // CHEAP)
        if self._relevant is not None:
            about = (page.meta[key.PAGE].relevance or 0) >= self._relevant
            says = verdict in (Verdict.NEW, Verdict.REWORDED)
            self._budgets.judged(host, relevant=about and says)

    def _mark_soft(self, page: Request) -> None:
        facts = page.meta[key.PAGE]
        judged = None if facts.relevance is None else 0.0
        page.meta[key.PAGE] = replace(
            facts, marks=facts.marks | Mark.SOFT_404, relevance=judged, similarity=judged
        )

    def _thank(
        self, page: Request, domain: str, sent_from: tuple[str, str, int] | None, earned: int
    ) -> None:
        """Let the page that found this one, and a redirect to it, earn the same."""
        found_on = page.meta.get(key.REFERRER)
        if found_on is not None:
            url = self._url_of(found_on)
            host = slot_of(url)
            source = registered_domain(host), host, shape_number(host, url)
            self._budgets.thank(*source, earned)
        if sent_from is not None:
            self._budgets.thank(*sent_from, earned)
        self._released += self.waiting.release(domain, self._may_leave)

    def _site(self, domain: str) -> SiteWords:
        site = self._sites.get(domain)
        if site is None:
            site = self._sites[domain] = SiteWords()
            if len(self._sites) > _MOST_SITES:
                self._sites.popitem(last=False)
        else:
            self._sites.move_to_end(domain)
        return site

    # -- hand-outs ------------------------------------------------------------------------------

    def may_leave(self, url_id: int, url: str, host: str) -> bool:
        """Whether a URL may be handed out; if not, it waits here."""
        domain, one = registered_domain(host), Parked(url_id, host, shape_number(host, url))
        if self._may_leave(one):
            self._budgets.leaves(host, one.shape)
            return True
        self.waiting.park(domain, one)
        return False

    def _may_leave(self, one: Parked) -> bool:
        return self._budgets.refusal(registered_domain(one.host), one.host, one.shape) is None

    def take_released(self) -> list[int]:
        """Return the ids of the URLs that may leave again since the last call."""
        released, self._released = self._released, []
        return released

    def abandon(self) -> Iterator[tuple[int, str]]:
        """Yield the id of every URL that waits and why it does, and forget them."""
        for domain, one in self.waiting.abandon():
            reason = self._budgets.refusal(domain, one.host, one.shape)
            yield one.url_id, reason or "trap"


def _names(fresh: list[Request]) -> Words:
    """What a page calls the pages that it is the first to link to."""
    return words_of("\n".join(link.meta.get(key.ANCHOR) or "" for link in fresh))


def _price(verdict: Verdict, *, leads_on: bool) -> int:
    if verdict is Verdict.SAME:
        return WHOLE
    if verdict is Verdict.SILENT and not leads_on:
        return 0  # a picture, a recording: nothing that could go on
    return WHOLE if leads_on and verdict is not Verdict.REWORDED else HALF
