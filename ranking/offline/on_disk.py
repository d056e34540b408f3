"""Ranking within so many bytes of memory: nodes there, links on disk.

The links are read into files, sorted once into lists, and streamed in every iteration. A run that
is ended, even by `kill -9`, goes on with the sorted links and from its last checkpoint when it is
started again in the same way.
"""

from __future__ import annotations

import os
import re
import resource
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from ranking.arrays import FloatArray
from ranking.errors import OfflineInputError
from ranking.external import bipartite, walk
from ranking.external.checkpoint import Checkpoint
from ranking.external.lists import LinkLists
from ranking.hits.lanczos import BASIS
from ranking.offline.edges import read_links
from ranking.offline.extras import Progress
from ranking.offline.methods import METHODS
from ranking.offline.names import NumberNames
from ranking.offline.spill import WORKING, Spill
from ranking.offline.workdir import Input, Sorted, WorkDirectory
from ranking.pagerank.sweeps import WINDOW
from ranking.result import Ranking

SEGMENTS = 3  # held at a time: the one being worked on, the next, and one that is about to go
WRITING = 32
"""Bytes a node that writing the scores takes."""
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_MEBIBYTE = 1 << 20


def as_bytes(text: str) -> int:
    """A size such as 2G or 512M, in binary units; raises ValueError for anything else."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", text.strip().lower())
    if not found:
        raise ValueError(f"no size: {text!r}")
    return int(float(found[1]) * (1 << _UNITS[found[2]]))


def resident() -> int:
    """Bytes of memory that this process holds."""
    with suppress(OSError, ValueError):
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")
    # Not on macOS, where only the most that it ever held is told, in bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def sorted_links(
    given: Input,
    work: WorkDirectory,
    memory: int,
    *,
    progress: Progress | None,
    said: Callable[[str], None],
) -> Sorted:
    """The links of an input as lists in a directory, as an earlier run left them or made now.

    Args:
        given: what is read.
        work: where.
        memory: bytes that this process may take.
        progress: as for `read_edges`.
        said: told what is done, a line each.

    Raises:
        OfflineInputError: as `read_edges`, and where the memory does not suffice.

    """
    left = work.left(given)
    if left is not None:
        said(f"{left.lists.n_links:,} links between {left.lists.n:,} names were sorted before")
        return left
    directory = work.emptied()
    with Spill(directory) as spill:
        read = read_links(
            *(given.path, spill),
            separator=given.separator,
            weighted=given.weighted,
            named=given.named,
            progress=progress,
        )
        said("; ".join([*read.notes, f"{len(spill):,} links read"]))
        read.names.drop_index()
        held = resident()
        _check(memory, held + 2 * WORKING, f"to sort the links, {held // _MEBIBYTE} MB for names")
        lists = spill.lists(directory, memory - held)
        numbers = isinstance(read.names, NumberNames)
        names = NumberNames(spill.used.listed()) if numbers else read.names
    found = Sorted(lists, names, read.separator)
    work.keep(given, found)
    said(f"{lists.n_links:,} links between {lists.n:,} names sorted, each once, without self-loops")
    return found


def run_on_disk(
    lists: LinkLists,
    method: str,
    vector: FloatArray | None,
    *,
    memory: int,
    damping: float,
    tol: float,
    checkpoint: Checkpoint,
) -> Ranking:
    """Rank all n ids by a method of METHODS; see `ranking.offline.methods.run_method`.

    Args:
        lists: the links.
        method: a key of METHODS.
        vector: (n,) what the method needs; None: nothing.
        memory: bytes that this process may take.
        damping: in [0, 1).
        tol: > 0, L1.
        checkpoint: of this method with these arguments.

    Raises:
        OfflineInputError: the memory does not suffice.
        RankingInputError: a value of the wrong length or range.

    """
    walks = METHODS[method].damped
    row, node = (walk.ROW, walk.NODE) if walks else (bipartite.ROW, bipartite.NODE)
    held, exact = resident(), METHODS[method].exact
    need = held + row * lists.n_pages + node * lists.n + SEGMENTS * lists.largest
    spare = max(memory - need, 0) // max(8 * lists.n_pages, 1)
    least = need if walks or exact else need + bipartite.FEWEST * 8 * lists.n_pages
    _check(memory, max(least, held + WRITING * lists.n), f"for {lists.n:,} nodes")
    if exact:
        return bipartite.salsa(lists)
    if not walks:
        fitting = min(BASIS, spare)
        return bipartite.hits(lists, vector, tol, basis=fitting, checkpoint=checkpoint)
    fitting = min(WINDOW, spare - walk.COPIES)
    fitting = fitting if fitting >= walk.FEWEST else 0
    if method == "trustrank":
        assert vector is not None, "checked before the links are read"
        vector = (vector > 0).astype(np.float64)
    return walk.pagerank(lists, vector, damping, tol, window=fitting, checkpoint=checkpoint)


def question(method: str, vector: FloatArray | None, damping: float) -> bytes:
    """What an iteration answers; a checkpoint of another one is of no use."""
    return f"{method} {damping!r} ".encode() + (b"" if vector is None else vector.tobytes())


def _check(memory: int, need: int, purpose: str) -> None:
    if need > memory:
        raise OfflineInputError(
            f"--memory {memory // _MEBIBYTE}M is too little: expected at least "
            f"{-(-need // _MEBIBYTE)}M {purpose}; give more"
        )
