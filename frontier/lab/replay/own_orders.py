"""The frontier in a replay: the same backend, store, strategy and topic model as in a crawl.

It treats recorded answers as `frontier.plugin.crawl.session` treats responses: each becomes a page
and links for the backend. Re-ranks are computed at once, so that a replay repeats; they are
installed as late as in a crawl.
"""

from __future__ import annotations

from concurrent.futures import Executor, Future
from typing import TYPE_CHECKING, Any

import numpy as np

from frontier.backend.backend import LinkRankBackend
from frontier.lab.replay.records import Leased, ReplayFrontier
from frontier.labels.learning import Refitting
from frontier.queue.eligibility import RETRY_HOLD
from frontier.records import Canonical, Page
from frontier.states import State
from frontier.store.schema import EXAMPLES
from frontier.topic.relevance import describe, judgement, plain_link
from frontier.urls.canonical import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from frontier.config import CrawlConfig
    from frontier.lab.replay.webfile import RecordedAnswer, WebFile
    from frontier.pagerules.policy import Ruling
    from frontier.records import Lease, UrlRecord
    from ranking.topics import TopicModel
    from ranking.topics.judging import Judgement


EPOCH = 1_700_000_000.0
"""Unix time at which every replay begins; only differences have a meaning."""


class AtOnce(Executor):
    """An executor that works in the calling thread, so that nothing depends on timing."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(work(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class Memory:
    """Judgements of pages by a topic model, for the next run of the same case.

    They belong to one state of the model: a run whose model is refitted continues with a memory of
    its own.
    """

    def __init__(self) -> None:
        self.judgements: dict[int, Judgement | None] = {}

    def judged(self, number: int, answer: RecordedAnswer, topic: TopicModel) -> Judgement | None:
        """The judgement of a page, computed once."""
        if number not in self.judgements:
            self.judgements[number] = judgement(answer.content, topic)
        return self.judgements[number]


class OwnFrontier(ReplayFrontier):
    """A backend with a strategy.

    `wanted` are the texts of the examples that the topic model was fitted to.
    """

    def __init__(
        self,
        web: WebFile,
        config: CrawlConfig,
        topic: TopicModel,
        memory: Memory,
        wanted: Sequence[str] = (),
    ) -> None:
        self._web = web
        self._key = config.fingerprint_key
        self._policy = config.page_policy
        self._topic = topic
        self._memory = memory
        self._backend = LinkRankBackend(config, AtOnce())
        self._backend.remember(EXAMPLES, list(wanted))
        self._refitting = Refitting(self._backend, config)
        self._fingerprints: dict[int, int] = {}

    def seed(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            seed = self._record(self._web.urls[number], number, 0)
            seed.seed = True
            self._backend.add_seeds([seed])

    def next(self) -> Leased | None:
        batch = self._backend.next(1, lambda _: 1)
        self._backend.commit()
        if not batch:
            return None
        lease = batch[0]
        return Leased(self._web.number(lease.canonical), lease)

    def page(self, leased: Leased, answer: RecordedAnswer, at: float) -> None:
        lease: Lease = leased.token
        ruling = self._policy.ruling(answer.content, EPOCH + at)
        judged = self._memory.judged(leased.number, answer, self._topic)
        page = Page.read(
            answer.content.title,
            answer.content.text,
            judged,
            state=State.CRAWLED,
            fetched=EPOCH + at,
            status=answer.status,
            final_url=lease.url,
            marks=ruling.marks,
        )
        links = self._links(lease, answer, ruling)
        verdict = self._backend.take(lease, page, links, self._canonical(lease, answer, ruling))
        if self._refitting.fetched(lease, page, verdict, self._topic):
            self._memory = Memory()

    def redirect(self, leased: Leased, answer: RecordedAnswer, at: float) -> None:
        lease: Lease = leased.token
        url = self._web.urls[answer.location]
        target = self._record(url, answer.location, lease.depth)
        page = Page(state=State.REDIRECTED, fetched=EPOCH + at, status=answer.status, final_url=url)
        self._backend.redirected(lease, page, target)

    def fail(self, leased: Leased, answer: RecordedAnswer, at: float) -> None:
        error = f"HTTP {answer.status}" if answer.status else "no answer"
        self._end(leased, State.ERROR, at, error, answer.status or None)

    def refuse(self, leased: Leased, at: float) -> None:
        self._end(leased, State.ROBOTS, at, "forbidden by robots.txt")

    def retry(self, leased: Leased) -> None:
        lease: Lease = leased.token
        again = self._record(lease.url, leased.number, lease.depth)
        self._backend.retry(lease, again, hold=RETRY_HOLD)

    def close(self) -> None:
        self._backend.close()

    def _end(
        self, leased: Leased, state: State, at: float, error: str, status: int | None = None
    ) -> None:
        lease: Lease = leased.token
        page = Page(state=state, fetched=EPOCH + at, status=status, error=error)
        self._backend.failed(lease, page)

    def _canonical(self, lease: Lease, answer: RecordedAnswer, ruling: Ruling) -> Canonical | None:
        """The canonical address of a page, if it was recorded."""
        url = self._policy.canonical_of(answer.content, ruling)
        number = -1 if url is None else self._web.find(url)
        if number < 0:
            return None
        named = self._record(self._web.urls[number], number, lease.depth + 1)
        return Canonical(named, may_be_new=True)

    def _links(self, lease: Lease, answer: RecordedAnswer, ruling: Ruling) -> list[UrlRecord]:
        depth = lease.depth + 1
        links = self._policy.links(answer.content, ruling)
        kept = np.array(ruling.kept, dtype=np.bool_)
        pairs = [
            (self._record(link.url, number, depth), link)
            for link, number in zip(links, answer.links[kept].tolist(), strict=True)
        ]
        return describe(pairs, self._topic)

    def _record(self, url: str, number: int, depth: int) -> UrlRecord:
        canonical = self._web.urls[number]
        identity = self._fingerprints.get(number)
        if identity is None:
            identity = self._fingerprints[number] = fingerprint(canonical, self._key)
        return plain_link(url, identity, canonical, depth)
