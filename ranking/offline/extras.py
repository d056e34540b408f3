"""Packages of the optional extra `offline`: imported where they are needed, and only then.

A crawl imports this library too, and must not carry pyarrow's 40 MB.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ranking.errors import MissingExtraError
from ranking.printing import say

Progress = Callable[[int, int | None], None]
"""Called with how much is done and how much there is, None if unknown."""


def pyarrow(purpose: str, module: str = "pyarrow") -> Any:
    """The module of pyarrow; raises MissingExtraError, which says what `purpose` needs it."""
    return optional(module, purpose)


def optional(module: str, purpose: str, extra: str = "offline") -> Any:
    """The module of a package of an extra; raises MissingExtraError as above."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtraError(module.partition(".")[0], purpose, extra) from error


@contextmanager
def reading_bar(label: str, unit: str) -> Iterator[Progress | None]:
    """A progress bar on standard error, if that is a terminal; None elsewhere.

    Without tqdm a line says how to get one, and the work goes on.
    """
    if not sys.stderr.isatty():
        yield None
        return
    try:
        import tqdm
    except ImportError:
        say([str(MissingExtraError("tqdm", "a progress bar"))], sys.stderr)
        yield None
        return
    with tqdm.tqdm(desc=label, unit=unit, unit_scale=True, leave=False) as bar:

        def show(position: int, total: int | None) -> None:
            bar.total = total
            bar.update(position - bar.n)

        yield show
