"""A crawl as a folder of Parquet files, one for each table, by pyarrow.

The files of an earlier export are replaced together when all new ones are complete.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

from frontier.export.columns import ExportColumn, arrow_table, clean
from frontier.export.crawled import LINKS, PAGES
from ranking.errors import OfflineInputError
from ranking.offline.extras import pyarrow
from ranking.offline.files import COMPRESSED, STDIO, new_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from frontier.export.columns import Portion
    from frontier.export.crawled import CrawledGraph
    from frontier.inspection.revisits import PageChange

_ROWS: Final = 1 << 17
"""Rows of a row group, the part of a table in memory: some 10 MB."""
LINK_COLUMNS: Final = tuple(column for column in LINKS if column.name != "anchor")
ANCHORS: Final = LINKS[:3]
"""The links with a text."""
CHANGES: Final = (
    ExportColumn("url", "string", "page that changed"),
    ExportColumn("seen", "time", "time of the visit that found the change"),
    ExportColumn("change", "string", "new, changed, gone, moved or forbidden"),
    ExportColumn("share_of_text", "double", "0 to 1, of a page's last change"),
    ExportColumn("previous_revisit", "time", "time of the visit before"),
    ExportColumn("moved_to", "string", "URL to which the page moved"),
)
DICTIONARY: Final = tuple(
    ExportColumn(name, "string", meaning)
    for name, meaning in (
        ("table", "name of a file, without its ending"),
        ("column", "name of a column"),
        ("type", "type of its values; time: a moment in UTC"),
        ("meaning", "what its values are; null is unknown"),
    )
)
_SCORE: Final = ExportColumn("score", "double", "link score; none in a strategy without scores")


def write_tables(graph: CrawledGraph, out: Path) -> tuple[Path, ...]:
    """Write pages, links, anchors, scores, changes and their dictionary to a folder.

    Raises OfflineInputError where it cannot be written, MissingExtraError without pyarrow.
    """
    pyarrow("writing Parquet", "pyarrow.parquet")
    _check(out)
    is_new = not out.exists()
    scored = tuple(ExportColumn(name, "double", _SCORE.meaning) for name in graph.scores)
    tables = {
        "pages": graph.page_columns,
        "links": LINK_COLUMNS,
        "anchors": ANCHORS,
        # A file of scores begins with the URL and its score.
        "scores": (PAGES[1], *(scored or (_SCORE,)), PAGES[0]),
        "changes": CHANGES,
    }
    paths = {name: out / f"{name}.parquet" for name in (*tables, "dictionary")}
    try:
        out.mkdir(parents=True, exist_ok=True)
        with ExitStack() as stack:
            files = {name: stack.enter_context(new_file(path)) for name, path in paths.items()}
            _write(files, graph, tables)
    except BaseException as error:
        if is_new and out.is_dir() and not any(out.iterdir()):
            out.rmdir()
        if isinstance(error, OSError):
            raise OfflineInputError(f"cannot write {out}: {error.strerror or error}") from error
        raise
    return tuple(paths.values())


def _write(
    files: dict[str, Any], graph: CrawledGraph, tables: dict[str, tuple[ExportColumn, ...]]
) -> None:
    with ExitStack() as stack:
        pages, links, anchors, scores, changes = (
            stack.enter_context(_Table(files[name], columns)) for name, columns in tables.items()
        )
        for portion in graph.pages():
            pages.add(portion)
            if graph.scores:
                scores.add(portion)
        for portion in graph.links():
            links.add(portion)
            anchors.add(portion, "anchor")
        for portion in change_portions(graph.changes()):
            changes.add(portion)
        described = stack.enter_context(_Table(files["dictionary"], DICTIONARY))
        for name, columns in tables.items():
            rows = [(name, *column) for column in columns]
            names = [column.name for column in DICTIONARY]
            described.add(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def change_portions(changes: Iterable[Sequence[PageChange]]) -> Iterator[Portion]:
    """Return changes as portions of the table of that name."""
    for some in changes:
        portion: Portion = {
            column.name: [getattr(one, column.name) for one in some] for column in CHANGES
        }
        for name in ("url", "moved_to"):
            portion[name] = clean(list(portion[name]))
        yield portion


class _Table:
    """A Parquet file to which portions are added."""

    def __init__(self, file: Any, columns: Sequence[ExportColumn]) -> None:
        self._arrow = pyarrow("writing Parquet")
        self._columns = columns
        self._time = self._arrow.timestamp("ms", "UTC")
        empty: Portion = {column.name: [] for column in columns}
        self._waiting = [self._table(empty)]
        parquet = pyarrow("writing Parquet", "pyarrow.parquet")
        texts = [column.name for column in columns if column.kind == "string"]
        self._writer = parquet.ParquetWriter(
            file, self._waiting[0].schema, compression="zstd", use_dictionary=texts
        )

    def __enter__(self) -> _Table:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._flush()
        self._writer.close()

    def add(self, portion: Portion, known: str = "") -> None:
        """Add rows; with the name of a column only those where it has a value."""
        table = self._table(portion)
        self._waiting.append(table.filter(table[known].is_valid()) if known else table)
        if sum(len(some) for some in self._waiting) >= _ROWS:
            self._flush()

    def _table(self, portion: Portion) -> Any:
        return arrow_table(self._arrow, self._columns, portion, time=self._time)

    def _flush(self) -> None:
        self._writer.write_table(self._arrow.concat_tables(self._waiting))
        self._waiting = self._waiting[:1]


def _check(out: Path) -> None:
    if str(out) == STDIO:
        raise OfflineInputError(
            "Parquet is a folder of files, which standard output (-) cannot be; name a folder"
        )
    if out.name.lower().endswith(COMPRESSED):
        raise OfflineInputError(
            f"Parquet is compressed inside, and {out} is the name of a folder; leave {out.suffix} "
            f"out of it"
        )
    if out.exists() and not out.is_dir():
        raise OfflineInputError(f"expected a folder for Parquet files, {out} is a file; remove it")
