"""Every row of a lab's table by name, and how its frontier is made for one task.

Rows are all crawl orders, of this library and of the user's own, Frontera's own backends, what the
caller brings along (Scrapy's own order comes from `frontier.plugin`, which alone knows Scrapy), and
two that are told more than any crawl can know: the greedy oracle sees labels and recorded links,
and the true-label row is the learned order whose fetched pages are judged by their labels. This is
the one place where labels meet a frontier, and it hands them to those two only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

from frontier.config import CrawlConfig
from frontier.errors import LabError
from frontier.lab.replay.frontera_backends import BACKENDS, FronteraFrontier
from frontier.lab.replay.interface import ReplayFrontier
from frontier.lab.replay.judges import Memory, as_recorded, by_label, by_topic
from frontier.lab.replay.oracle import GreedyOracle
from frontier.lab.replay.own_orders import OwnFrontier
from frontier.lab.replay.records import GREEDY_ORACLE, TRUE_LABEL
from frontier.lab.replay.simulated_fetcher import Politeness
from frontier.lab.replay.webfile import WebFile
from ranking import topics
from ranking.orders import ORDERS
from ranking.orders.apprentice.order import Apprentice
from ranking.spelling import or_rather
from ranking.topics.judging import teach

if TYPE_CHECKING:
    from frontier.lab.replay.records import Task
    from ranking.topics import TopicModel

RowMaker = Callable[[WebFile, int], ReplayFrontier]
"""Web and random seed -> frontier of a row that reads neither topic nor labels."""
RobotsReader = Callable[[bytes], Callable[[str], bool]]
"""Body of a robots.txt -> which URLs of its host may be fetched."""
LEARNED = Apprentice.name
"""The order that the true-label row is."""
_GROUPS = {"all": tuple(ORDERS), "frontera": tuple(BACKENDS)}


Unrecorded = Literal["fail", "hide"]
FAIL: Final[Unrecorded] = "fail"
HIDE: Final[Unrecorded] = "hide"


@dataclass(frozen=True)
class Setup:
    """What a run depends on beside its task and its web; the same for all runs of a lab.

    Attributes:
        config: of the crawl; strategy, topic and random seed are set for each task.
        politeness: of the simulated downloader.
        retries: how often a failure that may pass is asked again.
        robots: reads robots.txt; None: it is not asked.
        rows: rows beside our own and Frontera's, by name.
        unrecorded: FAIL: links to what was never recorded are there, and fail; HIDE: they are not.

    """

    config: CrawlConfig = field(default_factory=CrawlConfig)
    politeness: Politeness = field(default_factory=Politeness)
    retries: int = 2
    robots: RobotsReader | None = None
    rows: Mapping[str, RowMaker] = field(default_factory=dict)
    unrecorded: Unrecorded = FAIL


def chosen_rows(names: Iterable[str], brought: Mapping[str, RowMaker]) -> tuple[str, ...]:
    """The rows that were asked for, each once, in their order; `all` and `frontera` are several.

    A name with a dot is the import path of an order, see `orders_by_path`. Raises LabError for any
    other name that is none.
    """
    known = {*ORDERS, *BACKENDS, *brought, GREEDY_ORACLE, TRUE_LABEL}
    rows = [row for name in names for row in _GROUPS.get(name, (name,))]
    if unknown := [row for row in rows if row not in known and "." not in row]:
        raise LabError(
            f"expected --strategies of {', '.join([*_GROUPS, *sorted(known)])}, or import paths of "
            f"subclasses of ranking.Order; found "
            f"{', '.join(row + or_rather(row, known) for row in unknown)}"
        )
    return tuple(dict.fromkeys(rows))


def frontier_of(task: Task, web: WebFile, setup: Setup, memory: Memory) -> ReplayFrontier:
    """The frontier of a row, for one task. Raises TopicError where there is nothing to learn."""
    row = task.strategy
    if row in setup.rows:
        return setup.rows[row](web, task.draw)
    if row in BACKENDS:
        return FronteraFrontier(web, BACKENDS[row], task.draw)
    if row == GREEDY_ORACLE:
        return GreedyOracle(web, _numbers(web, task.targets))
    return _own(task, web, setup.config, memory)


def _own(task: Task, web: WebFile, base: CrawlConfig, memory: Memory) -> OwnFrontier:
    order = LEARNED if task.strategy == TRUE_LABEL else task.strategy
    config = replace(
        base,
        strategy=order,
        # That there is a topic is all that is read of these two; its name is a label.
        topic=task.topic_words,
        examples="" if task.topic_words else "given",
        directory=None,
        random_seed=task.draw,
    )
    wanted = _examples(task, web)
    topic = None if web.is_past_crawl else _learned(task, wanted, config)
    judge = as_recorded() if topic is None else by_topic(topic)
    if len(wanted) < 2:  # of more, the model goes on learning, by what this row fetches
        judge = memory.judging(judge)
    if task.strategy == TRUE_LABEL:
        judge = by_label(judge, web, _numbers(web, (*task.targets, *task.examples)))
    return OwnFrontier(web, config, topic, judge, memory, wanted)


def _examples(task: Task, web: WebFile) -> list[str]:
    texts = [web.text(web.find(url)) for url in task.examples]
    return [text for text in texts if text.strip()]


def _learned(task: Task, wanted: Sequence[str], config: CrawlConfig) -> TopicModel:
    """The topic model of a crawl, fitted to what its user would have given."""
    model = topics.load_topic_model(config.topic_model)
    teach(model, task.topic_words, wanted, [])
    return model


def _numbers(web: WebFile, urls: Iterable[str]) -> set[int]:
    return {web.find(url) for url in urls} - {-1}
