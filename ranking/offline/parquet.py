"""Parquet in: batches of columns, checked, as NumPy arrays and as tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ranking.arrays import MAX_ID, FloatArray, IntArray, LongArray
from ranking.offline.building import LinkBuilder, negative_id, single_weights
from ranking.offline.errors import OfflineInputError
from ranking.offline.extras import pyarrow
from ranking.offline.lines import Progress

ROWS = 1 << 16  # rows a batch: what is held of the file at a time

TokenArrays = tuple[bytes, LongArray, IntArray]
Columns = Callable[[list[str]], list[str]]


def read_parquet(
    path: str | Path,
    builder: LinkBuilder,
    *,
    weighted: bool,
    progress: Progress | None = None,
) -> None:
    """Add the links of a Parquet file to the builder.

    The columns are those called source, target and weight, or else the first two. Ids are
    integers or strings. Raises OfflineInputError for anything else, with the number of the row.
    """

    def columns(names: list[str]) -> list[str]:
        return _edge_columns(names, str(path), weighted=weighted)

    for row, batch in _batches(path, columns, progress):
        where = f"{path}, rows {row + 1} to {row + len(batch[0])}"
        weights = None
        if len(batch) > 2:
            weights, bad = single_weights(_numbers(batch[2], where, "weight"))
            if bad >= 0:
                raise OfflineInputError(
                    f"{where}: expected weights that a float32 can hold (1e-45 to 3e38), got "
                    f"{batch[2][bad].as_py()}; scale the weights"
                )
        if builder.numeric and _all_numbers(batch[:2], where):
            sources, targets = (np.asarray(column, np.int32) for column in batch[:2])
            builder.add_numbers(sources, targets, weights)
        else:
            builder.add_names(*_interleaved(*(_tokens(one, where) for one in batch[:2])), weights)


def read_columns(path: str | Path, value: str | None) -> Iterator[tuple[TokenArrays, FloatArray]]:
    """Names and values of a table of two columns or more, batch by batch.

    Names are the first column, values the column `value` (None: the second). Raises
    OfflineInputError for columns that are missing or of another type.
    """

    def columns(names: list[str]) -> list[str]:
        if len(names) < 2 or (value is not None and value not in names):
            wanted = f"a column {value!r}" if value is not None else "a column of values"
            raise OfflineInputError(
                f"{path}: expected a column of names and {wanted}, got {_listed(names)}"
            )
        return [names[0], value or names[1]]

    for row, (name, number) in _batches(path, columns):
        where = f"{path}, rows {row + 1} to {row + len(name)}"
        yield _tokens(name, where), _numbers(number, where, "value")


def _edge_columns(names: list[str], path: str, *, weighted: bool) -> list[str]:
    low = {name.lower(): name for name in reversed(names)}
    if "source" in low or "target" in low:
        if not ("source" in low and "target" in low):
            missing = "target" if "source" in low else "source"
            raise OfflineInputError(
                f"{path}: expected columns source and target, got {_listed(names)}; "
                f"there is no column {missing}"
            )
        weight = [low["weight"]] if weighted and "weight" in low else []
        return [low["source"], low["target"], *weight]
    if len(names) < 2:
        raise OfflineInputError(
            f"{path}: expected columns source and target, or at least two columns, "
            f"got {_listed(names)}"
        )
    return names[:2]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "none"


def _batches(
    path: str | Path, columns: Columns, progress: Progress | None = None
) -> Iterator[tuple[int, list[Any]]]:
    """Number of the first row, from 0, and the arrays of the chosen columns without nulls."""
    parquet = pyarrow("reading Parquet", "pyarrow.parquet")
    with _reported(path):
        file = parquet.ParquetFile(path)
    with file:
        names = list(file.schema_arrow.names)
        chosen = columns(names)
        _check_unique(chosen, names, str(path))
        row, rows = 0, file.metadata.num_rows
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
            yield row, arrays
            row += len(batch)
            if progress is not None:
                progress(row, rows)


def _check_unique(chosen: Sequence[str], names: Sequence[str], path: str) -> None:
    for name in chosen:
        if names.count(name) > 1:
            raise OfflineInputError(
                f"{path}: expected one column {name}, got {names.count(name)}; rename the others"
            )


@contextmanager
def _reported(path: str | Path) -> Iterator[None]:
    """Errors of pyarrow as OfflineInputError."""
    arrow = pyarrow("reading Parquet")
    try:
        yield
    except (OSError, arrow.ArrowException) as error:
        reason = str(error).strip().partition("\n")[0]
        raise OfflineInputError(f"cannot read {path} as Parquet: {reason}") from error


def _all_numbers(columns: Sequence[Any], where: str) -> bool:
    """Whether all ids are integers below MAX_ID; raises OfflineInputError for one below 0."""
    types = pyarrow("reading Parquet").types
    if not all(types.is_integer(column.type) for column in columns):
        return False
    compute = pyarrow("reading Parquet", "pyarrow.compute")
    extremes = [compute.min_max(column) for column in columns]
    low = min(extreme["min"].as_py() for extreme in extremes)
    if low < 0:
        raise negative_id(where, str(low))
    return bool(max(extreme["max"].as_py() for extreme in extremes) < MAX_ID)


def _numbers(column: Any, where: str, what: str) -> FloatArray:
    """Finite numbers >= 0."""
    arrow = pyarrow("reading Parquet")
    types = arrow.types
    kind = column.type
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)):
        raise OfflineInputError(f"{where}: expected numbers as {what}, got a column of {kind}")
    values: FloatArray = np.asarray(column.cast(arrow.float64(), safe=False), np.float64)
    bad = np.flatnonzero(~(values >= 0) | ~np.isfinite(values))
    if bad.size:
        raise OfflineInputError(
            f"{where}: expected a finite number of 0 or more as {what}, got {values[bad[0]]}"
        )
    return values


def _tokens(column: Any, where: str) -> TokenArrays:
    """A column of strings or integers as names."""
    arrow = pyarrow("reading Parquet")
    types = arrow.types
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    if types.is_boolean(kind) or not (types.is_integer(kind) or _is_text(types, kind)):
        raise OfflineInputError(
            f"{where}: expected integers or strings as ids, got a column of {kind}"
        )
    with _reported(where):
        text = column.cast(arrow.large_string())
    _, offsets, data = text.buffers()
    ends = np.frombuffer(offsets, np.int64)[text.offset : text.offset + len(text) + 1]
    lengths = np.diff(ends)
    if not lengths.all():
        raise OfflineInputError(f"{where}: a name is empty; fill or drop such rows")
    return bytes(data), ends[:-1], lengths.astype(np.int32)


def _is_text(types: Any, kind: Any) -> bool:
    return any(
        test(kind)
        for test in (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    )


def _interleaved(sources: TokenArrays, targets: TokenArrays) -> TokenArrays:
    """One sequence: source, target, source, ..., the order in which text would be read."""
    starts = np.stack([sources[1], targets[1] + len(sources[0])], axis=1).ravel()
    lengths = np.stack([sources[2], targets[2]], axis=1).ravel()
    return sources[0] + targets[0], starts, lengths
