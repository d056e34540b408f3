"""Every row of a lab's table by name, and how its frontier is made for one task.

Rows are crawl orders of this library and, by import path, of the user's own, and the greedy oracle,
which sees labels and recorded links. This is the one place where labels meet a frontier.
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
"""Body of a robots.txt -> which URLs of its host may be fetched."""


@dataclass(frozen=True)
class Retries:
    """Which failures are asked for again, as Scrapy's RETRY settings have it.

    Attributes:
        times: how often a URL is, at most.
        statuses: those that may pass, beside no answer at all.

    """

    times: int = 2
    statuses: tuple[int, ...] = (408, 429, 500, 502, 503, 504, 522, 524)

    def may(self, status: int, failures: int) -> bool:
        """Whether a URL that failed so often is asked for once more; 0: there was no answer."""
        return (not status or status in self.statuses) and failures <= self.times


@dataclass(frozen=True)
class Setup:
    """What a run depends on beside its task and its web; the same for all runs of a lab.

    Attributes:
        config: of the crawl; strategy, topic and random seed are set for each task.
        retries: which failures are asked for again, and how often.
        robots: reads robots.txt; None: it is not obeyed.

    """

    config: CrawlConfig = field(default_factory=CrawlConfig)
    retries: Retries = field(default_factory=Retries)
    robots: RobotsReader | None = None


def chosen_rows(names: Iterable[str]) -> tuple[str, ...]:
    """The rows that were asked for, each once, in their order; `all` is every order of ours.

    A name with a dot is the import path of an order. Raises UnknownOrderError where no order is,
    LabError for any other name that is none.
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
    """The frontier of a row, for one task. Raises TopicError where there is nothing to learn."""
    if task.strategy == GREEDY_ORACLE:
        return GreedyOracle(web, {web.find(url) for url in task.targets} - {-1})
    config = replace(
        setup.config,
        strategy=task.strategy,
        # That there is a topic is all that is read of these two; its name is a label.
        topic=task.topic_words,
        examples="" if task.topic_words else "given",
        directory=None,
        random_seed=task.draw,
    )
    texts = (web.text(web.find(url)) for url in task.examples)
    wanted = [text for text in texts if text.strip()]
    # Fitted to what the user of a crawl would have given.
    topic = topics.load_topic_model(config.topic_model, config.vectors)
    teach(topic, task.topic_words, wanted, [])
    return OwnFrontier(web, config, topic, memory, wanted)
