"""A crawl in Python: its pages, links and changes as rows, DataFrames and a sparse matrix.

The crawl may be running: it is only read. A table shows the last commit before it was asked for,
however often it is read, and no file is open between two reads. pandas, pyarrow and the page of
`report` are loaded when they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from frontier.export.columns import ExportColumn, Portion, Value, arrow_table, rows_of
from frontier.export.crawled import LINKS, CrawledGraph
from frontier.export.parquet import CHANGES, change_portions
from frontier.inspection import CrawlView
from frontier.inspection.reports import TopRow
from frontier.states import STATES, State
from frontier.store import StoreReader
from frontier.store.lock import is_held
from ranking.errors import RankingInputError
from ranking.offline.extras import optional, pyarrow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from frontier.inspection.explain import Explanation

_KINDS: Final = {"int": "int32", "float | None": "double", "str": "string", "str | None": "string"}
TOP: Final = tuple(ExportColumn(one.name, _KINDS[str(one.type)], "") for one in fields(TopRow))


def open_crawl(directory: str | Path) -> Crawl:
    """Open the crawl in a JOBDIR, finished or running, to read it.

    Raises StoreMissingError where there is no crawl, and the other StoreErrors for a file that is
    no crawl, is broken, or is of another version.
    """
    StoreReader.open(Path(directory)).close()
    return Crawl(Path(directory))


class Table:
    """The rows of a table, each a dict: read when they are iterated over, again each time.

    None is unknown, and a time is ISO 8601 in UTC.
    """

    def __init__(
        self, columns: tuple[ExportColumn, ...], portions: Callable[[], Iterable[Portion]]
    ) -> None:
        self._columns = columns
        self._portions = portions

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self._columns]

    def __iter__(self) -> Iterator[dict[str, Value]]:
        for portion in self._portions():
            for row in rows_of(self._columns, portion):
                yield dict(zip(self.columns, row, strict=True))

    def to_arrow(self) -> Any:
        """Return a table of pyarrow; raises MissingExtraError without pyarrow."""
        arrow = pyarrow("a table of Arrow")
        moment = arrow.timestamp("ms", "UTC")
        empty: Portion = {name: [] for name in self.columns}
        portions = [empty, *self._portions()]
        return arrow.concat_tables(
            [arrow_table(arrow, self._columns, portion, time=moment) for portion in portions]
        )

    def to_pandas(self) -> Any:
        """Return a DataFrame, in which times are UTC; raises MissingExtraError without pandas."""
        optional("pandas", "a DataFrame", "notebook")
        return self.to_arrow().to_pandas()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {', '.join(self.columns)}>"


class LinkTable(Table):
    """The links between URLs, by their ids."""

    def to_scipy(self) -> Any:
        """Return the weights as a scipy.sparse.csr_matrix, (n, n) for ids below n.

        A link from page i to URL j is at [i, j]; a link without weight is a stored 0.
        """
        from scipy.sparse import csr_matrix

        portions = list(self._portions())

        def column(name: str, kind: type[np.generic]) -> NDArray[Any]:
            values = [np.asarray(portion[name]) for portion in portions]
            return np.concatenate([np.empty(0, kind), *values])

        sources, targets = column("source", np.int32), column("target", np.int32)
        weights = column("weight", np.float64)
        n = 1 + int(max(sources.max(initial=-1), targets.max(initial=-1)))
        return csr_matrix((weights, (sources, targets)), shape=(n, n))


class Crawl:
    """A crawl to read; a notebook shows how it does, as `scrapy frontier report` does."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def pages(self, state: str | None = "crawled") -> Table:
        """Return the URLs in a state, None: in any state, without pages that ask for noindex.

        Columns are `id`, `url`, `state`, `title`, `relevance` and the others of
        `scrapy frontier export`.
        """
        if state is not None and state not in STATES:
            raise RankingInputError(f"expected a state of {', '.join(STATES)}, got {state!r}")
        only = None if state is None else State[state.upper()]
        graph = self._graph()
        return Table(graph.page_columns, lambda: self._read(graph, lambda of: of.pages(only)))

    def links(self) -> LinkTable:
        """Return the links of fetched pages to other URLs, each pair once."""
        graph = self._graph()
        return LinkTable(LINKS, lambda: self._read(graph, CrawledGraph.links))

    def top(self, n: int = 20, state: str | None = None, by: str = "priority") -> Table:
        """Return the n best URLs; see `scrapy frontier top`.

        Args:
            n: at least 1.
            state: of the URLs; None: queued, and crawled by relevance.
            by: priority, score or relevance.

        """
        chosen = state or ("crawled" if by == "relevance" else "queued")
        with CrawlView.open(self.directory) as view:
            rows = view.top(n, State[chosen.upper()], by)
        portion: Portion = {one.name: [getattr(row, one.name) for row in rows] for one in TOP}
        return Table(TOP, lambda: [portion])

    def explain(self, url: str, shown: int = 5) -> Explanation:
        """Return why a URL has its place; raises UnknownUrlError if the crawl never met it."""
        with CrawlView.open(self.directory) as view:
            return view.explain(url, shown)

    def changes(self, since: float | None = None) -> Table:
        """Return the changes of revisited pages since then (Unix seconds), newest first."""
        with CrawlView.open(self.directory) as view:
            changes = view.changes(since).changes
        return Table(CHANGES, lambda: change_portions([changes]))

    def _graph(self) -> CrawledGraph:
        with StoreReader.open(self.directory) as reader:
            return CrawledGraph(reader)

    def _read(
        self, graph: CrawledGraph, read: Callable[[CrawledGraph], Iterator[Portion]]
    ) -> Iterator[Portion]:
        with StoreReader.open(self.directory) as reader:
            yield from read(graph.read_by(reader))

    def __repr__(self) -> str:
        with StoreReader.open(self.directory) as reader:
            urls, answers = reader.count_urls(), reader.count_answers()
        running = ", running" if is_held(self.directory) else ""
        return f"<Crawl {self.directory}: {urls:,} URLs, {answers:,} answers{running}>"

    def _repr_html_(self) -> str:
        """Return the report in a frame of its own, whose scripts see nothing of the notebook."""
        from frontier.watch.report import picture_html

        page = escape(picture_html(self.directory), quote=True)
        style = "width:100%;height:640px;border:0"
        return (
            f'<p>{escape(repr(self))}</p><iframe sandbox="allow-scripts" style="{style}" '
            f'srcdoc="{page}"></iframe>'
        )
