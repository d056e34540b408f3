"""The ordering side alone: what it costs a page, in turns of many answers and of few."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.children import run_module
from benchmarks.report import AT_MOST, Figure

NOTE = (
    "CPU of the default order with a topic, from an answer that has been read and judged to the "
    "hand-out of the next, commits and re-ranks included; 50 links a page, 25 of them new. No "
    "Scrapy, no network."
)
_PROMISES = {64: 0.8, 4: 2.0}
_TIMEOUT = 900.0


def measure(urls: int, pages: int) -> list[Figure]:
    """Fill a frontier to `urls` known URLs, then answer `pages` pages, for each length of turn."""
    figures = []
    for turn, most in _PROMISES.items():
        with TemporaryDirectory(prefix="benchmark-") as temporary:
            arguments = ["--urls", str(urls), "--pages", str(pages), "--turn", str(turn)]
            arguments += ["--directory", str(Path(temporary) / "job")]
            log = Path(temporary) / "log"
            spent = run_module("benchmarks.turns", arguments, log, _TIMEOUT)
        what = f"ordering at {urls:,} URLs, turns of {turn}"
        figures += [
            Figure(what, "ms/page", spent["all"], None, AT_MOST, most, on_ratio=False),
            Figure(f"{what}, re-ranks' part", "ms/page", spent["reranks"]),
        ]
    return figures
