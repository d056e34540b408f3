"""Every row of a lab's table by name, and how its frontier is made for one task.

Rows are crawl orders of this library and, by import path, of the user's own, what the caller brings
along (Scrapy's own order comes from `frontier.plugin`, which alone knows Scrapy), and two that know
more than any crawl can: the greedy oracle sees labels and recorded links, and the true-label row is
the learned order whose fetched pages are judged by their labels. This is the one place where labels
meet a frontier, and those two alone get them.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from frontier.config import CrawlConfig
from frontier.errors import LabError
from frontier.lab.replay.interface import ReplayFrontier
from frontier.lab.replay.judges import Memory, by_label, by_topic
from frontier.lab.replay.oracle import GreedyOracle
from frontier.lab.replay.own_orders import OwnFrontier
from frontier.lab.replay.records import GREEDY_ORACLE, TRUE_LABEL
from frontier.lab.replay.webfile import WebFile
from ranking import topics
from ranking.orders import ORDERS, order_class
from ranking.orders.apprentice.order import Apprentice
from ranking.spelling import or_rather
from ranking.topics.judging import teach

if TYPE_CHECKING:
    from frontier.lab.replay.records import Task

RowMaker = Callable[[WebFile, int], ReplayFrontier]
"""Web and random seed -> frontier of a row that reads neither topic nor labels."""
RobotsReader = Callable[[bytes], Callable[[str], bool]]
"""Body of a robots.txt -> which URLs of its host may be fetched."""
_GROUPS = {"all": tuple(ORDERS)}


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
        rows: rows beside our own, by name.

    """

    config: CrawlConfig = field(default_factory=CrawlConfig)
    retries: Retries = field(default_factory=Retries)
    robots: RobotsReader | None = None
    rows: Mapping[str, RowMaker] = field(default_factory=dict)


def chosen_rows(names: Iterable[str], brought: Mapping[str, RowMaker]) -> tuple[str, ...]:
    """The rows that were asked for, each once, in their order; `all` is every order of ours.

    A name with a dot is the import path of an order, see `orders_by_path`. Raises LabError for any
    other name that is none.
    """
    known = {*ORDERS, *brought, GREEDY_ORACLE, TRUE_LABEL}
    rows = [row for name in names for row in _GROUPS.get(name, (name,))]
    if unknown := [row for row in rows if row not in known and "." not in row]:
        raise LabError(
            f"expected --strategies of {', '.join([*_GROUPS, *sorted(known)])}, or import paths of "
            f"subclasses of ranking.Order; found "
            f"{', '.join(row + or_rather(row, known) for row in unknown)}"
        )
    return tuple(dict.fromkeys(rows))


@dataclass(frozen=True)
class OrderByPath:
    """An order at an import path: the name and words it has in reports, a digest of its source."""

    name: str
    summary: str
    code: str


def orders_by_path(rows: Iterable[str]) -> dict[str, OrderByPath]:
    """The rows that are import paths, by path.

    Raises UnknownOrderError where no order is, LabError where two rows would have one name.
    """
    found, names = {}, []
    for row in rows:
        if "." in row:
            kind = order_class(row)
            found[row] = OrderByPath(kind.name, kind.summary, _code(kind))
        names.append(found[row].name if row in found else row)
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise LabError(
            f"expected --strategies with different names, but several are called "
            f"{', '.join(repeated)}. Give each class a `name` of its own"
        )
    return found


def _code(kind: type) -> str:
    """Digest of the modules that the class and its bases are written in, ours left out."""
    ours = {order.__module__ for order in ORDERS.values()}
    modules = {base.__module__ for base in kind.__mro__} - ours - {"abc", "builtins"}
    digest = blake2b(f"{kind.__module__}.{kind.__qualname__}".encode(), digest_size=16)
    for name in sorted(modules):
        source = inspect.getsourcefile(sys.modules[name])
        digest.update(Path(source).read_bytes() if source else b"")
    return digest.hexdigest()


def frontier_of(task: Task, web: WebFile, setup: Setup, memory: Memory) -> ReplayFrontier:
    """The frontier of a row, for one task. Raises TopicError where there is nothing to learn."""
    row = task.strategy
    if row in setup.rows:
        return setup.rows[row](web, task.draw)
    if row == GREEDY_ORACLE:
        return GreedyOracle(web, _numbers(web, task.targets))
    return _own(task, web, setup.config, memory)


def _own(task: Task, web: WebFile, base: CrawlConfig, memory: Memory) -> OwnFrontier:
    config = replace(
        base,
        strategy=Apprentice.name if task.strategy == TRUE_LABEL else task.strategy,
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
    judge = by_topic(topic)
    if task.strategy == TRUE_LABEL:
        memory = Memory()
        judge = by_label(judge, web, _numbers(web, (*task.targets, *task.examples)))
    return OwnFrontier(web, config, topic, judge, memory, wanted)


def _numbers(web: WebFile, urls: Iterable[str]) -> set[int]:
    return {web.find(url) for url in urls} - {-1}
