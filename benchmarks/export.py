"""The tables of a large crawl: a million pages with twenty links each, in seconds and MiB."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.children import run, run_module
from benchmarks.report import AT_MOST, Figure, tell


def main(arguments: list[str]) -> int:
    """Measure; 1 if a promise was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks export", description=__doc__)
    add = parser.add_argument
    add("--pages", type=int, default=1_000_000)
    add("--job", type=Path, help="a crawl that is there; default: it is generated")
    given = parser.parse_args(arguments)
    with TemporaryDirectory(prefix="benchmark-") as folder:
        job, log = given.job or Path(folder, "job"), Path(folder, "log")
        if given.job is None:
            size = ["--urls", str(2 * given.pages), "--pages", str(given.pages)]
            run_module("benchmarks.stored", ["grow", "--directory", str(job), *size], log, 3600)
        out = str(Path(folder, "tables"))
        command = ["-m", "scrapy", "frontier", "export", str(job), "--format", "parquet"]
        used = run([sys.executable, *command, "--out", out], log, 1800)
        print(log.read_text(encoding="utf-8").strip())
    return tell(
        [
            Figure("export as Parquet", "s", used.seconds, None, AT_MOST, 60, on_ratio=False),
            Figure("its processor time", "s", used.cpu),
            Figure("its peak memory", "MiB", used.peak, None, AT_MOST, 954, on_ratio=False),
        ]
    )
