"""Tables of scores, read again."""

from __future__ import annotations

from pathlib import Path

from ranking.offline.scores import value_parts


def read_scores(path: str | Path) -> tuple[list[str], list[float]]:
    """Names and scores of a table, in the order of the file."""
    parts = list(value_parts(path))
    names = [name for some, _ in parts for name in some.to_pylist()]
    return names, [float(score) for _, scores in parts for score in scores]
