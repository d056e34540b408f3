import numpy as np
import numpy.typing as npt

from ranking.arrays import FloatArray, IntArray, SingleArray

Heads = npt.NDArray[np.uint32]

def sweep(
    heads: Heads,
    counts: Heads,
    sources: IntArray,
    weights: SingleArray | None,
    restart: FloatArray | None,
    share: FloatArray,
    y: FloatArray,
    handed: FloatArray,
    change: FloatArray,
) -> float: ...
def collect(
    heads: Heads,
    counts: Heads,
    sources: IntArray,
    weights: SingleArray | None,
    values: FloatArray,
    out: FloatArray,
    first: int,
) -> None: ...
def scatter(
    heads: Heads,
    counts: Heads,
    sources: IntArray,
    weights: SingleArray | None,
    pages: IntArray,
    values: FloatArray | None,
    out: FloatArray,
) -> None: ...
def iterate(
    heads: Heads,
    counts: Heads,
    sources: IntArray,
    weights: SingleArray | None,
    pages: IntArray,
    relevance: FloatArray | None,
    hubs: FloatArray,
    following: FloatArray,
) -> None: ...
def unite(
    heads: Heads,
    counts: Heads,
    sources: IntArray,
    pages: IntArray,
    counted: npt.NDArray[np.uint8],
    parent: IntArray,
    roots: IntArray,
) -> None: ...
def settle(parent: IntArray) -> None: ...
