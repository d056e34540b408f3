"""What an input file holds, by its suffix."""

from __future__ import annotations

from pathlib import Path

from ranking.offline.errors import OfflineInputError
from ranking.offline.streams import COMPRESSED, STDIO

TEXT_SUFFIXES = (
    *("", ".tsv", ".csv", ".txt", ".tab", ".dat", ".data", ".list"),
    *(".edges", ".edge", ".edgelist", ".el", ".links", ".net"),
)
PARQUET_SUFFIXES = (".parquet", ".pq")
TEXT, PARQUET = "text", "parquet"


def input_format(path: str | Path) -> str:
    """TEXT or PARQUET; standard input is text. Raises OfflineInputError for other suffixes."""
    if str(path) == STDIO:
        return TEXT
    file = Path(path)
    suffix = file.suffix.lower()
    if suffix in COMPRESSED:
        suffix = Path(file.stem).suffix.lower()
    if suffix in PARQUET_SUFFIXES:
        return PARQUET
    if suffix in TEXT_SUFFIXES:
        return TEXT
    raise OfflineInputError(
        f"cannot tell from the suffix {suffix} of {path} what it holds; text is known by "
        f"{' '.join(TEXT_SUFFIXES[1:])} or no suffix, perhaps with {' '.join(COMPRESSED)} behind "
        f"it, and Parquet by {' '.join(PARQUET_SUFFIXES)}; rename the file, or give an edge list "
        "with --format text or --format parquet"
    )
