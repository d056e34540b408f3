"""Reading a large page, beside lxml and Scrapy's `LinkExtractor` on the same bytes in one run."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.children import AbsentError, run_module
from benchmarks.report import AT_MOST, Figure

NOTE = (
    "From bytes to text, links, words and canonical links, parsing included: the mean of the "
    "recorded pages nearest to the size, each the best of its rounds, all readers in turns."
)
_TIMEOUT = 600.0
_PEERS = {
    "parse": ("lxml parses", None),
    "lxml": ("lxml takes links and text", 1.2),
    "extractor": ("Scrapy's LinkExtractor", None),
}
"""The most that we may take of what a peer takes."""


def measure(recording: Path, size: int, rounds: int) -> list[Figure]:
    """Read pages of about `size` bytes. Raises AbsentError without the recording."""
    if not recording.exists():
        raise AbsentError(f"no recorded web {recording}")
    arguments = [str(recording), "--size", str(size), "--rounds", str(rounds)]
    with TemporaryDirectory(prefix="benchmark-") as temporary:
        took = run_module("benchmarks.readers", arguments, Path(temporary) / "log", _TIMEOUT)
    what, ours = f"reading {took['size'] / 1000:.0f} kB", took["ours"]
    return [
        Figure(f"{what}; {said}", "ms", ours, took[one], AT_MOST, most)
        for one, (said, most) in _PEERS.items()
    ]
