"""The rows of a lab's table by name, and the frontier of each for a task.

Rows are the strategies of this library, those of the user by import path, and the greedy oracle,
which sees labels and recorded links. Only this module gives labels to a frontier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from frontier.config import CrawlConfig
from frontier.errors import LabError
from frontier.lab.replay.oracle import GreedyOracle
from frontier.lab.replay.own_orders import Memory, OwnFrontier
from frontier.lab.replay.records import GREEDY_ORACLE, ReplayFrontier
from frontier.lab.replay.webfile import WebFile
from ranking import topics
from ranking.orders import ORDERS, order_class
from ranking.spelling import or_rather
from ranking.topics.judging import teach

if TYPE_CHECKING:
    from frontier.lab.replay.records import Task

RobotsReader = Callable[[bytes], Callable[[str], bool]]
"""Body of a robots.txt -> function that says which URLs may be fetched."""


@dataclass(frozen=True)
class Retries:
    """The retries of failures, by Scrapy's RETRY settings.

    Attributes:
        times: retries of a URL, at most.
        statuses: statuses that are retried, as is a missing answer.

    """

    times: int = 2
    statuses: tuple[int, ...] = (408, 429, 500, 502, 503, 504, 522, 524)

    def may(self, status: int, failures: int) -> bool:
        """Whether a URL is retried after so many failures; status 0: no answer."""
        return (not status or status in self.statuses) and failures <= self.times


@dataclass(frozen=True)
class Setup:
    """The settings of all runs of a lab.

    Attributes:
        config: config of the crawl; strategy, topic and random seed are set for each task.
        retries: retries of failures.
        robots: reader of robots.txt; None: it is not obeyed.

    """

    config: CrawlConfig = field(default_factory=CrawlConfig)
    retries: Retries = field(default_factory=Retries)
    robots: RobotsReader | None = None


def chosen_rows(names: Iterable[str]) -> tuple[str, ...]:
    """The chosen rows, each once, in order; `all` is every built-in strategy.

    A name with a dot is the import path of a strategy. Raises UnknownOrderError for a wrong path,
    LabError for any other unknown name.
    """
    known = {*ORDERS, GREEDY_ORACLE}
    rows = [row for name in names for row in (ORDERS if name == "all" else (name,))]
    if unknown := [row for row in rows if row not in known and "." not in row]:
        raise LabError(
            f"expected --strategies of {', '.join(['all', *sorted(known)])}, or import paths of "
            f"subclasses of ranking.Order; found "
            f"{', '.join(row + or_rather(row, known) for row in unknown)}"
        )
    for path in (row for row in rows if "." in row):
        order_class(path)
    return tuple(dict.fromkeys(rows))


def frontier_of(task: Task, web: WebFile, setup: Setup, memory: Memory) -> ReplayFrontier:
    """The frontier of a row for a task. Raises TopicError if the topic cannot be learned."""
    if task.strategy == GREEDY_ORACLE:
        return GreedyOracle(web, {web.find(url) for url in task.targets} - {-1})
    config = replace(
        setup.config,
        strategy=task.strategy,
        # The config only says that there is a topic; the name of the topic is a label.
        topic=task.topic_words,
        examples="" if task.topic_words else "given",
        directory=None,
        random_seed=task.draw,
    )
    texts = (web.text(web.find(url)) for url in task.examples)
    wanted = [text for text in texts if text.strip()]
    # Fitted to the words or examples of a user.
    topic = topics.load_topic_model(config.topic_model, config.vectors)
    teach(topic, task.topic_words, wanted, [])
    return OwnFrontier(web, config, topic, memory, wanted)
