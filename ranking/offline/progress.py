"""How far the reading of a large file is, for people at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ranking.offline.errors import MissingExtraError
from ranking.offline.extras import tqdm
from ranking.offline.lines import Progress
from ranking.printing import say


@contextmanager
def reading_bar(label: str, unit: str) -> Iterator[Progress | None]:
    """A progress bar on standard error, if that is a terminal; None elsewhere.

    Without tqdm a line says how to get one, and the work goes on.
    """
    if not sys.stderr.isatty():
        yield None
        return
    try:
        make = tqdm("a progress bar")
    except MissingExtraError as error:
        say([str(error)], sys.stderr)
        yield None
        return
    with make(desc=label, unit=unit, unit_scale=True, leave=False) as bar:

        def show(position: int, total: int | None) -> None:
            bar.total = total
            bar.update(position - bar.n)

        yield show
