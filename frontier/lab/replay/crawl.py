"""A replayed crawl: requests of a frontier, answered from the recording.

One request is in flight at a time, without delay: the ideal order, in which each URL is chosen with
all knowledge. No clock is used; answers are a fifth of a second apart.

Every request has a letter and counts against the budget, retries and redirects, too, because a
server would count them. A URL that was not recorded fails, with another letter than recorded
failures: the number of targets among such URLs is unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.lab.replay import records
from frontier.lab.replay.contestants import frontier_of
from frontier.lab.replay.own_orders import Memory
from frontier.lab.replay.parsing import ROBOTS
from frontier.lab.replay.webfile import AnswerKind
from frontier.urls.canonical import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from frontier.lab.replay.contestants import Retries, RobotsReader, Setup
    from frontier.lab.replay.records import Leased, ReplayFrontier, RunRecord, Task
    from frontier.lab.replay.webfile import RecordedAnswer, WebFile

_SECONDS = 0.2
"""Between two answers."""


def replay(task: Task, web: WebFile, setup: Setup, memory: Memory | None = None) -> RunRecord:
    """Crawl a recorded web for a task.

    `memory` holds judgements of other runs of the same case, and gets those of this run. Raises
    TopicError if the topic cannot be learned.
    """
    frontier = frontier_of(task, web, setup, Memory() if memory is None else memory)
    targets = {web.find(url) for url in task.targets} - {-1}
    allowed = _allowed(web, setup.robots)
    crawl = ReplayedCrawl(web, frontier, targets, setup.retries, allowed)
    try:
        frontier.seed([number for url in task.seeds if (number := web.find(url)) >= 0])
        crawl.run(task.budget)
    finally:
        frontier.close()
    return records.RunRecord(
        key=task.key,
        budget=task.budget,
        n_targets=len(targets),
        outcomes="".join(crawl.outcomes),
        urls=tuple(crawl.urls),
    )


def _allowed(web: WebFile, reader: RobotsReader | None) -> Callable[[str], bool]:
    """The rules of the recorded robots.txt files; hosts without one allow everything."""
    if reader is None:
        return lambda _: True
    rules = {host: reader(body) for host, body in web.extra.get(ROBOTS, {}).items()}

    def allowed(url: str) -> bool:
        rule = rules.get(host_of(url))
        return rule is None or rule(url)

    return allowed


class ReplayedCrawl:
    """A crawl under way.

    `targets` are numbers of recorded URLs; `allowed` decides by robots.txt about a URL.
    """

    def __init__(
        self,
        web: WebFile,
        frontier: ReplayFrontier,
        targets: Collection[int],
        retries: Retries,
        allowed: Callable[[str], bool],
    ) -> None:
        self._web = web
        self._frontier = frontier
        self._left = set(targets)
        self._retries = retries
        self._allowed = allowed
        self._failures: dict[int, int] = {}
        self.outcomes: list[str] = []
        self.urls: list[int] = []

    def run(self, budget: int) -> None:
        """Crawl until the budget is spent or the frontier is empty."""
        while len(self.outcomes) < budget:
            leased = self._frontier.next()
            if leased is None:
                return
            if self._allowed(self._web.urls[leased.number]):
                answer = self._web.read(leased.number)
                self.urls.append(leased.number)
                self.outcomes.append(self._outcome(leased, answer))
            else:
                self._frontier.refuse(leased, self._now)

    @property
    def _now(self) -> float:
        """Seconds from the start."""
        return _SECONDS * len(self.outcomes)

    def _outcome(self, leased: Leased, answer: RecordedAnswer) -> str:
        """Report the answer to the frontier, and return its letter."""
        now = self._now
        if answer.kind is AnswerKind.PAGE:
            self._frontier.page(leased, answer, now)
            return self._worth(leased.number)
        if answer.kind is AnswerKind.REDIRECT:
            self._frontier.redirect(leased, answer, now)
            return records.REDIRECT
        if answer.kind is AnswerKind.FAILED and self._may_retry(leased.number, answer.status):
            self._frontier.retry(leased)
            return records.RETRY
        self._frontier.fail(leased, answer, now)
        return records.UNKNOWN if answer.kind is AnswerKind.UNKNOWN else records.FAILED

    def _worth(self, number: int) -> str:
        page = int(self._web.answers[number])
        if page not in self._left:
            return records.PAGE
        self._left.discard(page)
        return records.HIT

    def _may_retry(self, number: int, status: int) -> bool:
        failures = self._failures[number] = self._failures.get(number, 0) + 1
        return self._retries.may(status, failures)
