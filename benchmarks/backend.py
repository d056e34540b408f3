"""The Frontera backend alone at a million known URLs, beside Frontera's own memory backend."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.children import run_module
from benchmarks.report import AT_LEAST, AT_MOST, Figure

NOTE = (
    "Both behind FrontierManager, given the same fingerprints; 64 pages a hand-out, 20 links a "
    "page, half of them new. The peer is frontera.contrib.backends.memory.BFS: it keeps nothing "
    "on disk, ours commits before each hand-out and re-ranks beside it. (Frontera's SQLAlchemy "
    "backend does not run with SQLAlchemy 2.)"
)
_TIMEOUT = 900.0


def measure(urls: int, batches: int) -> list[Figure]:
    """Fill both to `urls` URLs, then take `batches` hand-outs of 64 with their links."""
    results = {}
    with TemporaryDirectory(prefix="benchmark-") as temporary:
        for which in ("memory", "ours"):
            arguments = [which, "--urls", str(urls), "--batches", str(batches)]
            if which == "ours":
                arguments += ["--directory", str(Path(temporary) / "job")]
            log = Path(temporary) / f"{which}.log"
            results[which] = run_module("benchmarks.frontiers", arguments, log, _TIMEOUT)
    ours, peer = results["ours"], results["memory"]

    def both(name: str) -> tuple[float, float]:
        return ours[name], peer[name]

    where = f"at {urls:,} URLs"
    return [
        Figure(
            f"links taken in {where}", "links/s", *both("rate"), AT_LEAST, 10_000, on_ratio=False
        ),
        Figure(f"hand-out of 64 {where}", "ms", *both("median"), AT_MOST, 20, on_ratio=False),
        Figure(f"hand-out of 64 {where}, 95th percentile", "ms", *both("p95")),
        Figure(f"memory {where}", "MiB", *both("peak")),
        Figure(f"filling up to {urls:,} URLs", "s", *both("filling")),
    ]
