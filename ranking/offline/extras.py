"""Packages of the optional extra `offline`: imported where they are needed, and only then.

A crawl imports this library too, and must not carry pyarrow's 40 MB.
"""

from __future__ import annotations

import importlib
from typing import Any

from ranking.offline.errors import MissingExtraError


def pyarrow(purpose: str, module: str = "pyarrow") -> Any:
    """The module of pyarrow; raises MissingExtraError, which says what `purpose` needs it."""
    try:
        import pyarrow

        return pyarrow if module == "pyarrow" else importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError("pyarrow", purpose) from error


def tqdm(purpose: str) -> Any:
    """The class of tqdm's progress bars; raises MissingExtraError."""
    try:
        import tqdm
    except ImportError as error:
        raise MissingExtraError("tqdm", purpose) from error
    return tqdm.tqdm
