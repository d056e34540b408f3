"""PageRank of links that do not fit into memory, beside the engine that holds them there."""

from __future__ import annotations

import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from benchmarks.children import run_module
from benchmarks.report import AT_MOST, Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

NOTE = (
    "Links are made up as a crawl has them: in-degrees by Zipf's law, one node in four with links "
    "of its own, all in no order. An iteration is the time from sorted links to scores, by their "
    "number. The peer is the engine in memory on a smaller graph, both within 1e-10 of the exact "
    "scores. Disk is the most that lies there beside the edge list; TMPDIR says where."
)
_TOL, _CLOSE_TOL = 1e-6, 1e-10
_TIMEOUT = 6 * 3600.0
_EVERY = 0.5  # seconds between looks at the disk
_NANO = 1e9


def measure(links: int, nodes: int, mebibytes: int, beside: int) -> list[Figure]:
    """Rank `links` between `nodes` within so much memory, and `beside` links in both ways."""
    with _graph(links, nodes) as large:
        figures = _large(large, mebibytes)
    with _graph(beside, max(nodes * beside // links, 1)) as small:
        return [*figures, *_beside(small, mebibytes)]


class _Graph:
    """Links in a folder of their own, and what is made of them."""

    def __init__(self, folder: Path, links: int, nodes: int) -> None:
        self.links, self.folder = links, folder
        self._edges = folder / "edges"
        made = [str(self._edges), "--links", str(links), "--nodes", str(nodes)]
        self.seconds: float = self._run("benchmarks.zipf", made)["seconds"]

    def on_disk(self, tol: float, mebibytes: int) -> dict[str, Any]:
        return self._rank("disk", tol, "--mebibytes", str(mebibytes))

    def in_memory(self, tol: float) -> dict[str, Any]:
        return self._rank("memory", tol)

    def difference(self) -> float:
        """L1, of the scores of both."""
        both = [str(self._scores(how)) for how in ("disk", "memory")]
        found: float = self._run("benchmarks.ranked", ["compare", *both])["difference"]
        return found

    def _rank(self, how: str, tol: float, *options: str) -> dict[str, Any]:
        where = [str(self._edges), str(self._scores(how))]
        found = self._run("benchmarks.ranked", [how, *where, "--tol", str(tol), *options])
        found["iteration"] = found["rank"] / found["iterations"]
        found["iteration_cpu"] = found["rank_cpu"] / found["iterations"]
        found["seconds"] = sum(found[step] for step in ("read", "sort", "rank", "write"))
        return found

    def _scores(self, how: str) -> Path:
        return self.folder / f"{how}.parquet"

    def _run(self, module: str, arguments: list[str]) -> dict[str, Any]:
        return run_module(module, arguments, self.folder / "log", _TIMEOUT)


@contextmanager
def _graph(links: int, nodes: int) -> Iterator[_Graph]:
    with TemporaryDirectory(prefix="benchmark-") as temporary:
        yield _Graph(Path(temporary), links, nodes)


def _large(graph: _Graph, mebibytes: int) -> list[Figure]:
    with _watched(graph.folder) as sizes:
        disk = graph.on_disk(_TOL, mebibytes)
    of, each = f"of {graph.links:,} links", _NANO / graph.links
    return [
        Figure(f"making {of}", "s", graph.seconds),
        Figure(f"reading {of}", "ns/link", disk["read"] * each),
        Figure(f"sorting {of}", "ns/link", disk["sort"] * each),
        Figure(
            *(f"iteration {of} on disk", "ns/link", disk["iteration"] * each, None, AT_MOST, 30),
            on_ratio=False,
        ),
        Figure(f"iteration {of} on disk, CPU", "ns/link", disk["iteration_cpu"] * each),
        Figure(f"iterations {of}", "1", disk["iterations"]),
        Figure(f"ranking {of}", "s", disk["seconds"]),
        Figure(
            *(f"peak memory {of}", "MiB", disk["peak"], None, AT_MOST, mebibytes), on_ratio=False
        ),
        Figure(f"disk {of}", "B/link", (max(sizes) - sizes[0]) / graph.links),
    ]


def _beside(graph: _Graph, mebibytes: int) -> list[Figure]:
    disk, memory = graph.on_disk(_CLOSE_TOL, mebibytes), graph.in_memory(_CLOSE_TOL)
    of, each = f"of {graph.links:,} links", _NANO / graph.links
    iterations = disk["iteration_cpu"] * each, memory["iteration_cpu"] * each
    return [
        Figure(f"iteration {of}, CPU", "ns/link", *iterations),
        Figure(f"iterations {of}", "1", disk["iterations"], memory["iterations"]),
        Figure(f"ranking {of}", "s", disk["seconds"], memory["seconds"]),
        Figure(f"peak memory {of}", "MiB", disk["peak"], memory["peak"]),
        Figure(
            *(f"difference of scores {of}", "L1", graph.difference(), None, AT_MOST, 1e-9),
            on_ratio=False,
        ),
    ]


@contextmanager
def _watched(folder: Path) -> Iterator[list[int]]:
    """Bytes in a folder, again and again while the block runs."""
    sizes, over = [_size(folder)], threading.Event()

    def look() -> None:
        while not over.wait(_EVERY):
            sizes.append(_size(folder))

    watching = threading.Thread(target=look, name="disk")
    watching.start()
    try:
        yield sizes
    finally:
        over.set()
        watching.join()


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # what was listed may be gone
            total += path.stat().st_size
    return total
