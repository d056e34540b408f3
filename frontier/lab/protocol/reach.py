"""How far pages of a recorded web lie from each other, in links that a crawl would follow."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from frontier.lab.replay.web import Kind, LabWeb

Numbers = npt.NDArray[np.int64]
UNREACHED = -1
_MOST_REDIRECTS = 20


class Reach:
    """The links of a web in both directions; those backwards are made when first asked for."""

    def __init__(self, web: LabWeb) -> None:
        self._web = web
        self._n = len(web.urls)

    def hops_from(self, starts: Iterable[int]) -> Numbers:
        """(n,) links from the nearest start to every URL, 0 for starts; else UNREACHED."""
        return _hops(self._web.indptr, self._web.targets, self._n, starts)

    def hops_to(self, goals: Iterable[int]) -> Numbers:
        """(n,) links from every URL to the nearest goal, 0 for goals; else UNREACHED."""
        return _hops(*self._backwards, self._n, goals)

    @cached_property
    def _backwards(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        web = self._web
        sources = np.repeat(np.arange(web.n_recorded, dtype=np.int32), np.diff(web.indptr))
        counts = np.bincount(web.targets, minlength=self._n)
        indptr = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
        return indptr, sources[np.argsort(web.targets, kind="stable")]


def landing(web: LabWeb, number: int) -> int:
    """Number of the page that a URL answers with, behind redirects; -1 where there is none."""
    for _ in range(_MOST_REDIRECTS):
        if number < 0 or web.kinds[number] != Kind.REDIRECT:
            break
        onward = web.targets[web.indptr[number] : web.indptr[number + 1]]
        number = int(onward[0]) if len(onward) else -1
    return number if number >= 0 and web.kinds[number] == Kind.PAGE else -1


def _hops(
    indptr: npt.NDArray[np.int64],
    targets: npt.NDArray[np.int32],
    n: int,
    starts: Iterable[int],
) -> Numbers:
    hops = np.full(n, UNREACHED, np.int64)
    level = np.unique(np.fromiter(starts, np.int64))
    distance = 0
    while len(level):
        hops[level] = distance
        distance += 1
        onward = _links_of(indptr, targets, level[level < len(indptr) - 1])
        level = np.unique(onward[hops[onward] == UNREACHED])
    return hops


def _links_of(
    indptr: npt.NDArray[np.int64],
    targets: npt.NDArray[np.int32],
    pages: Numbers,
) -> Numbers:
    """Targets of all links of some pages, with repetitions."""
    lengths = indptr[pages + 1] - indptr[pages]
    ends = np.cumsum(lengths)
    places = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - lengths, lengths)
    onward: Numbers = targets[np.repeat(indptr[pages], lengths) + places].astype(np.int64)
    return onward
