"""A graph like that of a crawl, as Parquet files: `python -m benchmarks.zipf DIRECTORY`.

Links lead to nodes with probability ~ rank ** -SKEW, which gives in-degrees their power law, and
come from any of the best-known nodes, the fetched ones, alike. Ids and links lie in no order, so
that nothing a ranking does with them hits a cache by luck. What is held does not depend on how many
links there are.
"""

from __future__ import annotations

import argparse
import json
import time
from math import gcd
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

SKEW = 0.91
"""1 / (2.1 - 1), for 2.1 is the exponent of the in-degrees of the web (Broder et al. 2000)."""
FETCHED = 4
"""One node of so many has links of its own."""
PART = 1 << 24  # links a file
BLOCK = 1 << 20  # links made at a time
Ids = npt.NDArray[np.int32]
Ranks = npt.NDArray[np.int64]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.zipf", description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--links", type=int, required=True)
    parser.add_argument("--nodes", type=int, required=True)
    given = parser.parse_args()
    began = time.monotonic()
    write_links(given.directory, given.links, given.nodes)
    print(json.dumps({"seconds": time.monotonic() - began}))


def write_links(directory: Path, links: int, nodes: int) -> None:
    """Write numbered Parquet files of int32 columns source and target; the same for the same sizes.

    Args:
        directory: to be made.
        links: repeated ones and self-loops included.
        nodes: ids, each of which occurs where there are links enough.

    """
    directory.mkdir()
    random, spread = np.random.default_rng(1), _spread(nodes)
    schema = pa.schema([("source", pa.int32()), ("target", pa.int32())])
    for number, start in enumerate(range(0, links, PART)):
        path = directory / f"part-{number:05}.parquet"
        # Neither helps with numbers in no order.
        with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
            end = min(start + PART, links)
            for first in range(start, end, BLOCK):
                size = min(BLOCK, end - first)
                sources = random.integers(0, max(nodes // FETCHED, 1), size)
                ranks = sources, _zipf(random, size, nodes)
                columns = [pa.array(_ids(one, nodes, spread)) for one in ranks]
                writer.write_batch(pa.record_batch(columns, schema=schema))


def _zipf(random: np.random.Generator, size: int, nodes: int) -> Ranks:
    """Ranks in [0, nodes), by the inverse of the continuous distribution."""
    power = 1 - SKEW
    values = 1 + random.random(size) * ((nodes + 1) ** power - 1)
    ranks: Ranks = np.minimum(values ** (1 / power), nodes).astype(np.int64) - 1
    return ranks


def _ids(ranks: Ranks, nodes: int, spread: int) -> Ids:
    """Ids of ranks, each another one, without any order."""
    return (ranks * spread % nodes).astype(np.int32)


def _spread(nodes: int) -> int:
    """A factor that permutes [0, nodes), near the golden section of it."""
    factor = int(nodes * 0.618) | 1
    while gcd(factor, nodes) > 1:
        factor += 2
    return factor


if __name__ == "__main__":
    main()
