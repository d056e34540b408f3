"""Parquet in: batches of columns, checked, as tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ranking.arrays import MAX_ID, FloatArray, IntArray
from ranking.errors import OfflineInputError
from ranking.offline.extras import Progress, pyarrow
from ranking.offline.files import parquet_parts
from ranking.offline.names import NumberLinks, Tokens

ROWS = 1 << 16  # rows a batch: what is held of the file at a time
BUFFER = 1 << 20  # bytes read ahead of each column


def edge_rows(
    path: str | Path, *, weighted: bool, progress: Progress | None = None
) -> Iterator[Tokens | NumberLinks]:
    """The links of a Parquet file or of all in a directory: source and target, one link by one.

    The columns are those called source, target and weight, or else the first two. Ids are
    integers or strings. Raises OfflineInputError for anything else, with the number of the row.
    """
    columns = partial(_edge_columns, path=path, weighted=weighted)
    for where, (source, target, *weight) in _batches(path, columns, progress):
        values = _numbers(weight[0], where, "weight") if weight else None
        ends = _plain_ends(source, target)
        if ends is None:
            yield _tokens([source, target], values, where)
        else:
            yield NumberLinks(ends, values, where)


def _plain_ends(source: Any, target: Any) -> IntArray | None:
    """Two columns as ends of links; None where not all are integers that ids may be."""
    types = pyarrow("reading Parquet").types
    ends = np.empty((len(source), 2), np.int32)
    for place, column in enumerate((source, target)):
        if not types.is_integer(column.type):
            return None
        numbers = column.to_numpy()
        if numbers.min() < 0 or numbers.max() >= MAX_ID:
            return None
        ends[:, place] = numbers
    return ends.ravel()


def value_rows(path: str | Path) -> Iterator[Tokens]:
    """Names and values: the first two columns of a table.

    Raises OfflineInputError for columns that are missing or of another type.
    """

    def columns(names: list[str]) -> list[str]:
        if len(names) < 2:
            raise OfflineInputError(
                f"{path}: expected a column of names and a column of values, got {_listed(names)}"
            )
        return names[:2]

    for where, (name, number) in _batches(path, columns):
        yield _tokens([name], _numbers(number, where, "value"), where)


def _edge_columns(names: list[str], path: str | Path, *, weighted: bool) -> list[str]:
    low = {name.lower(): name for name in reversed(names)}
    ends = [low[name] for name in ("source", "target") if name in low]
    if len(ends) == 2:
        return [*ends, low["weight"]] if weighted and "weight" in low else ends
    if ends or len(names) < 2:
        raise OfflineInputError(
            f"{path}: expected columns source and target, or else at least two columns, "
            f"got {_listed(names)}"
        )
    return names[:2]


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "none"


def _batches(
    path: str | Path,
    columns: Callable[[list[str]], list[str]],
    progress: Progress | None = None,
) -> Iterator[tuple[str, list[Any]]]:
    """Which rows they are, in words, and the arrays of the chosen columns without nulls."""
    before, rows = 0, 0
    if progress is not None:
        rows = sum(_opened(part).metadata.num_rows for part in parquet_parts(path))
    for part in parquet_parts(path):
        last = 0
        for where, last, arrays in _part_batches(part, columns):
            yield where, arrays
            if progress is not None:
                progress(before + last, rows)
        before += last


def _opened(path: Path) -> Any:
    parquet = pyarrow("reading Parquet", "pyarrow.parquet")
    with _reported(path):
        # Streamed: without a buffer all that was read of a file stays in memory with it.
        return parquet.ParquetFile(path, buffer_size=BUFFER, pre_buffer=False)


def _part_batches(
    path: Path, columns: Callable[[list[str]], list[str]]
) -> Iterator[tuple[str, int, list[Any]]]:
    """The batches of one file, with the number of each one's last row."""
    with _opened(path) as file:
        names = list(file.schema_arrow.names)
        chosen = columns(names)
        for name in chosen:
            if names.count(name) > 1:
                raise OfflineInputError(
                    f"{path}: expected one column {name}, got {names.count(name)}; "
                    "rename the others"
                )
        row = 0
        batches = file.iter_batches(ROWS, columns=chosen, use_threads=False)
        while True:
            with _reported(path):
                batch = next(batches, None)
            if batch is None:
                return
            if not len(batch):
                continue
            arrays = [batch.column(name) for name in chosen]
            for name, array in zip(chosen, arrays, strict=True):
                if array.null_count:
                    first = row + int(np.flatnonzero(array.is_null())[0])
                    raise OfflineInputError(
                        f"{path}, row {first + 1}: column {name} is empty; fill or drop such rows"
                    )
            rows = f"{path}, rows {row + 1} to {row + len(batch)}"
            row += len(batch)
            yield rows, row, arrays


@contextmanager
def _reported(path: str | Path) -> Iterator[None]:
    """Errors of pyarrow as OfflineInputError."""
    arrow = pyarrow("reading Parquet")
    try:
        yield
    except (OSError, arrow.ArrowException) as error:
        reason = str(error).strip().partition("\n")[0]
        raise OfflineInputError(f"cannot read {path} as Parquet: {reason}") from error


def _numbers(column: Any, where: str, what: str) -> FloatArray:
    """Finite numbers >= 0."""
    arrow = pyarrow("reading Parquet")
    types = arrow.types
    kind = column.type
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)):
        raise OfflineInputError(f"{where}: expected numbers as {what}, got a column of {kind}")
    values: FloatArray = np.asarray(column.cast(arrow.float64(), safe=False), np.float64)
    bad = np.flatnonzero(~((values >= 0) & (values < np.inf)))
    if bad.size:
        raise OfflineInputError(
            f"{where}: expected a finite number of 0 or more as {what}, got {values[bad[0]]}"
        )
    return values


def _tokens(columns: Sequence[Any], values: FloatArray | None, where: str) -> Tokens:
    """Columns of strings or integers as names, row by row: in the order of a text."""
    arrow = pyarrow("reading Parquet")
    types = arrow.types
    texts = types.is_string, types.is_large_string, types.is_binary, types.is_large_binary
    for column in columns:
        kind = column.type.value_type if types.is_dictionary(column.type) else column.type
        if not any(is_one(kind) for is_one in (types.is_integer, *texts)):
            raise OfflineInputError(
                f"{where}: expected integers or strings as ids, got a column of {kind}"
            )
    with _reported(where):
        names = arrow.concat_arrays([column.cast(arrow.large_string()) for column in columns])
    _, offsets, data = names.buffers()
    ends = np.frombuffer(offsets, np.int64)[names.offset : names.offset + len(names) + 1]
    lengths = np.diff(ends).astype(np.int32)
    if not lengths.all():
        raise OfflineInputError(f"{where}: a name is empty; fill or drop such rows")
    shape = len(columns), -1
    return Tokens(
        bytes(data),
        ends[:-1].reshape(shape).T.ravel(),
        lengths.reshape(shape).T.ravel(),
        np.ones(len(columns[0])) if values is None else values,
        where=lambda _: where,
        valued=values is not None,
        numeric=all(types.is_integer(column.type) for column in columns),
    )
