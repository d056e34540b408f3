from ranking.arrays import FloatArray, IntArray, LongArray, SingleArray

def count(
    first: LongArray,
    rows: IntArray,
    indptr: LongArray,
    targets: IntArray,
    hosts: IntArray,
    sources: IntArray,
    seen: IntArray,
    counts: LongArray,
) -> None: ...
def add(
    first: LongArray,
    rows: IntArray,
    indptr: LongArray,
    targets: IntArray,
    values: SingleArray | None,
    hosts: IntArray,
    sources: IntArray,
    last: IntArray | None,
    place: LongArray,
    starts: LongArray,
    folded: IntArray,
    sums: FloatArray,
) -> None: ...
def discount(
    pages: IntArray,
    indptr: LongArray,
    targets: IntArray,
    hosts: IntArray,
    factor: float,
    weights: SingleArray,
) -> None: ...
