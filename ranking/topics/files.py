"""Which TOPIC_MODEL names a file and which one a class."""

from __future__ import annotations

from typing import Final

__all__ = ["SUFFIXES", "names_a_file"]

SUFFIXES: Final = (".joblib", ".pkl", ".pickle")
"""Endings of the names under which classifiers are saved."""


def names_a_file(path: str) -> bool:
    """Return whether a TOPIC_MODEL names a classifier's file; any other is an import path."""
    return "/" in path or path.endswith(SUFFIXES)
