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
def add_links(
    first: LongArray,
    rows: IntArray,
    indptr: LongArray,
    targets: IntArray,
    values: SingleArray | None,
    hosts: IntArray,
    sources: IntArray,
    place: LongArray,
    starts: LongArray,
    folded: IntArray,
    sums: FloatArray,
) -> None: ...
def add_pages(
    first: LongArray,
    rows: IntArray,
    indptr: LongArray,
    targets: IntArray,
    values: SingleArray | None,
    hosts: IntArray,
    sources: IntArray,
    place: LongArray,
    starts: LongArray,
    folded: IntArray,
    sums: FloatArray,
    last: IntArray,
) -> None: ...
def discount(
    pages: IntArray,
    indptr: LongArray,
    targets: IntArray,
    hosts: IntArray,
    factor: float,
    weights: SingleArray,
) -> None: ...
