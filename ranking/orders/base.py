"""A crawl order: from what the crawl has learned to a priority for each unfetched URL.

Orders by evidence alone answer from the evidence table; those by link analysis keep scores
(`link_order`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, SingleArray
from ranking.errors import RankingInputError
from ranking.evidence import Evidence
from ranking.graph.view import GraphView
from ranking.page_update import PageUpdate
from ranking.priority import Ids, seeds_first
from ranking.result import Ranking, check_stopping

Job = Callable[[], dict[str, Ranking]]
State = dict[str, npt.NDArray[Any]]

PAGES_SEEN = "pages_seen"

PlaceArray = npt.NDArray[np.uint32]


class Places(NamedTuple):
    """Where k URLs lie: a number for each place of a kind, equal for URLs of one place.

    Attributes:
        hosts: (k,) of each host.
        folders: (k,) likewise of each folder of a host.
        templates: (k,) likewise of each template of URLs of a host.
        zones: (k,) likewise of where on its page the link stands by which the URL was discovered,
            of whatever host; 0 without a link, as of a seed.

    """

    hosts: PlaceArray
    folders: PlaceArray
    templates: PlaceArray
    zones: PlaceArray


class Repricing(Enum):
    """Which queued URLs get their priority anew after a page, beside those it links to."""

    NONE = "none"
    BEST = "best"
    """The few thousand that are best by the priorities they have."""
    ALL = "all"


class Order(ABC):
    """A crawl order: subclass it and define `value` to write a strategy.

    Attributes:
        name: in reports, and for `make_order` if it is one of this library; without it, that of
            the class.
        summary: one sentence for a user who chooses; without it, the first line of the docstring.
        source: paper or practice.
        formula: of the priority of a URL v.
        when: in which crawls to choose it, and in which not.
        saved_score: name of the saved array that is the link score of each id; None: there is none.
        uses_topic: reads relevance or predicted; without a topic it decides nothing.
        uses_links: has scores that a re-rank (`prepare`, `swap`) brings up to date.
        uses_places: needs `place`, where URLs lie.
        at_once: URLs whose priorities are asked for in one call, > 0: an order with many features
            may need a kilobyte for each.
        damping: probability to follow a link, in [0, 1).
        tol: L1 error that a re-rank may leave; 1e-4 keeps 99.99 % of the top 10,000 in place.
        pages_seen: number of page updates that the order's state holds. To resume: `restore`,
            `grow`, then `learn` and `page` for every page update after the first `pages_seen` of
            the crawl, with the rows that their URLs were leased with.

    """

    name: ClassVar[str]
    summary: ClassVar[str]
    source: ClassVar[str] = ""
    formula: ClassVar[str] = "what its class computes"
    when: ClassVar[str] = ""
    saved_score: ClassVar[str | None] = None
    uses_topic: ClassVar[bool] = False
    uses_links: ClassVar[bool] = False
    uses_places: ClassVar[bool] = False
    at_once: ClassVar[int] = 2048

    _is_built_in: ClassVar[bool]
    """If so, a number that is not finite follows from damaged saved state: the priority of that URL
    is wrong, and the crawl goes on."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # Never inherited: a variant of an order must not have the name of the other.
        if "name" not in vars(cls):
            cls.name = cls.__name__
        cls._is_built_in = cls.__module__.startswith("ranking.orders.")
        if "summary" not in vars(cls):
            cls.summary = (cls.__doc__ or "An order of one's own.").strip().partition("\n")[0]

    def __init__(self, damping: float = 0.85, tol: float = 1e-4) -> None:
        check_stopping(tol, damping=damping)
        self.damping = damping
        self.tol = tol
        self.pages_seen = 0

    @property
    def forgets(self) -> bool:
        """Whether it keeps nothing of the pages: the evidence is all it needs."""
        own = type(self)
        return own.page is Order.page and own.learn is Order.learn

    @property
    def scores(self) -> dict[str, FloatArray]:
        """Arrays (n,) by name, float64 or float32, valid until the next `grow`; may be empty."""
        return {}

    def score(self, page: int) -> float | None:
        """The score of one id; None without scores."""
        scores = self.scores.get("score")
        return None if scores is None else float(scores[page])

    def grow(self, n: int) -> None:  # noqa: B027 - orders without scores have nothing to grow
        """Make ids up to n - 1 known."""

    @property
    def placed(self) -> int:
        """Number of ids whose places it knows."""
        return 0

    def place(  # noqa: B027 - most orders do not ask where a URL lies
        self, places: Places
    ) -> None:
        """Add where the ids from `placed` on lie; before `grow` makes them known."""

    def row(self, page: int, evidence: Evidence) -> SingleArray | None:
        """(d,) float32, what is known of a URL as it is leased, for `learn`.

        None: the order does not learn from what it fetches, or knows nothing of this URL.
        """
        return None

    def rows(self, pages: Sequence[int], evidence: Evidence) -> list[SingleArray | None]:
        """Return `row` of several URLs that are leased together."""
        return [self.row(page, evidence) for page in pages]

    def learn(  # noqa: B027 - most orders are given and not learned
        self, page: int, row: SingleArray | None, relevance: float
    ) -> None:
        """Learn how relevant a judged page was; called once for each, before its `page`.

        Pages that were not judged are not learned from; of redirects, see `lead`. Whatever this
        changes belongs to the page update that follows: a state with `pages_seen` page updates
        holds what was learned from these pages and no others.

        Args:
            page: id below n.
            row: what `row` gave when the URL was leased; None without a row.
            relevance: in [0, 1].

        """

    def lead(  # noqa: B027 - see learn
        self, page: int, row: SingleArray | None, expected: float | None
    ) -> None:
        """Learn that a page only led elsewhere; called in place of `learn`.

        Args:
            page: id below n, of a redirect, or of a copy that names the page to keep.
            row: what `row` gave when the URL was leased; None without a row.
            expected: relevance that is expected of the pages that it led to, in [0, 1]; None: it
                led to known pages only.

        """

    def fail(self, ids: npt.ArrayLike) -> None:  # noqa: B027 - see place
        """Learn that pages (k,) could not be fetched, each once; on resume all of them once more.

        What this changes belongs to no page update and to no saved state.
        """

    def page(self, update: PageUpdate, evidence: Evidence) -> None:
        """Learn a fetched page's links; O(links). Call `evidence.page` before.

        Args:
            update: its ids are below n.
            evidence: the live table; on resume, that of the whole crawl.

        """
        self.pages_seen += 1

    def repricing(self, pages: int, queued: int) -> Repricing:
        """Which queued URLs need a new priority now; called after each turn of answers.

        The cost a page must stay bounded however many are queued: ALL is for young crawls, or
        for every so many pages.

        Args:
            pages: answers so far in this crawl, redirects and failures among them.
            queued: URLs in the queue.

        """
        return Repricing.NONE

    def repricing_reranked(self, pages: int, queued: int) -> Repricing:
        """Which queued URLs need a new priority after a `swap`; arguments as of `repricing`.

        ALL, for an order whose priorities are cheap.
        """
        return Repricing.ALL

    def contributions(self, ids: npt.ArrayLike, evidence: Evidence) -> dict[str, FloatArray]:
        """Return additive parts (k,) of the priorities of ids (k,), by a description in words.

        Empty: the priority is not a sum, or its parts are not known.
        """
        return {}

    def row_contributions(self, row: SingleArray) -> dict[str, float]:
        """Parts of the priority of a URL that was leased with `row`, as in `contributions`.

        By what is learned now: earlier weights are not kept.
        """
        return {}

    def prepare(self, view: GraphView, evidence: Evidence) -> Job:
        """A job that re-ranks `view`; needs nothing live and may run in another thread.

        One job at a time: `swap` belongs to the last `prepare`.
        """
        return dict

    def swap(self, rankings: Mapping[str, Ranking]) -> None:  # noqa: B027 - see grow
        """Install what the job returned."""

    def state_arrays(self) -> State:
        """Return copies of the arrays that `restore` takes, of the time of `pages_seen`."""
        return {}

    @property
    def by_id(self) -> frozenset[str]:
        """Names of the saved arrays that hold one value an id, for the ids known at that time."""
        return frozenset()

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:  # noqa: B027 - see grow
        """Take over saved state; RankingInputError if it is another order's."""

    def priority(self, ids: npt.ArrayLike, evidence: Evidence) -> FloatArray:
        """(k,) finite float64 for ids (k,); higher is fetched first.

        Unfetched seeds come before everything, earliest first; equal priorities mean that the
        order does not care (the queue breaks ties by fingerprint). Raises RankingInputError where
        `value` does not return such numbers.
        """
        array = np.asarray(ids)
        if array.size == 0:
            return np.empty(0)
        values = np.asarray(self.value(array, evidence), np.float64)
        if values.shape != array.shape or not (self._is_built_in or np.isfinite(values).all()):
            raise RankingInputError(
                f"value() of the strategy {self.name!r} must return one finite number for each of "
                f"{len(array)} ids; got shape {values.shape}"
                f"{'' if np.isfinite(values).all() else ', not all of them finite'}"
            )
        return seeds_first(values, array, evidence)

    @abstractmethod
    def value(self, ids: Ids, evidence: Evidence) -> FloatArray:
        """(k,) finite float64, the priorities of ids (k,), higher first; no seeds among them.

        The same at every call, until a page, a re-rank or learning changes it.
        """
