"""`python -m benchmarks memory`: what memory a crawl takes as it grows, sampled and plotted.

A web of ten hosts is made up page by page while it is asked for, so that nothing here grows but the
crawl: page i links to its children 3i + 1 to 3i + 3, which reach all of them, and to a few pages
near and far. The crawl process is measured from outside, once a second: its resident memory, beside
how many URLs and pages its store knows by then. What should be seen is a line that rises by some
hundred bytes for each page with its links, and stays flat for everything else.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.children import ROOT, BenchmarkError, serving
from frontier.errors import StoreError
from frontier.store import StoreReader

if TYPE_CHECKING:
    from collections.abc import Sequence

HOSTS = 10
_LINKS_AROUND = 8
_WORDS = [
    "stone",
    "river",
    "mountain",
    "valley",
    "bridge",
    "market",
    "garden",
    "harbour",
    "castle",
    "forest",
    "meadow",
]
_KIBIBYTE = 1024
_ALLOWED = "127.66.0.0/16"


class Sample(NamedTuple):
    """One look at the crawl."""

    seconds: float
    mebibytes: float
    urls: int
    pages: int


def main(arguments: Sequence[str]) -> int:
    """Crawl and sample; 1 if the crawl failed."""
    given = _parser().parse_args(arguments)
    if given.serve:
        asyncio.run(_serve(given.urls))
        return 0
    given.out.mkdir(parents=True, exist_ok=True)
    curves = {}
    try:
        for which in ("ours", "plain") if given.plain else ("ours",):
            curves[which] = _measured(which, given)
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    for which, samples in curves.items():
        print(f"\n{which}\n{table(samples)}")
    _plot(curves, given.out / "memory.png")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks memory", description=__doc__)
    parser.add_argument("--urls", type=int, default=1_000_000, help="of the web")
    parser.add_argument("--seconds", type=float, default=6 * 3600, help="the crawl's limit")
    parser.add_argument("--out", type=Path, default=Path("build/benchmarks/memory"), metavar="DIR")
    parser.add_argument("--plain", action="store_true", help="plain Scrapy too")
    parser.add_argument("--strategy", default="ppr", help="of ours")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    return parser


def _measured(which: str, given: argparse.Namespace) -> list[Sample]:
    directory = given.out / which
    if directory.exists():
        raise BenchmarkError(f"{directory} exists: expected a new directory. Name another --out.")
    with serving("benchmarks", ["memory", "--serve", "--urls", str(given.urls)]) as address:
        log = given.out / f"{which}.log"
        with log.open("wb") as output:
            command = _command(which, address, directory, given)
            module = "crawler.settings" if which == "ours" else "benchmarks.plain_settings"
            child = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, "SCRAPY_SETTINGS_MODULE": module},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            samples = _sampled(child, directory, given.seconds)
    if child.returncode:
        raise BenchmarkError(f"The crawl ended with {child.returncode}: see {log}")
    _write(samples, given.out / f"{which}.tsv")
    return samples


def _command(which: str, address: str, directory: Path, given: argparse.Namespace) -> list[str]:
    command = [sys.executable, "-m", "scrapy", "crawl"]
    command += ["focused", "-a", f"strategy={given.strategy}"] if which == "ours" else ["plain"]
    command += ["-a", f"seeds={address}/p/0"]
    settings = {
        "JOBDIR": directory,
        "CONCURRENT_REQUESTS": 16,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 4,
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
        "CLOSESPIDER_TIMEOUT": int(given.seconds),
        "LOG_LEVEL": "WARNING",
        "FRONTIER_PROGRESS": False,
        "FRONTIER_ALLOW_NETWORKS": _ALLOWED,
        # A million pages of eleven words in random order are a trap; that is for another test.
        "FRONTIER_TRAP_BUDGET": 0,
    }
    return command + [
        part for name, value in settings.items() for part in ("-s", f"{name}={value}")
    ]


def _sampled(child: subprocess.Popen[bytes], directory: Path, limit: float) -> list[Sample]:
    """Look at a crawl until it ends; it is killed a minute after its limit."""
    began = time.monotonic()
    samples: list[Sample] = []
    pause = 1.0
    while child.poll() is None:
        seconds = time.monotonic() - began
        mebibytes = resident(child.pid)
        if mebibytes:
            samples.append(Sample(seconds, mebibytes, *_known(directory)))
        if seconds > limit + 60:
            child.kill()
        # As many looks at a long crawl as at a short one, about: a plot shows no more.
        pause = max(1.0, seconds / 500)
        with suppress(subprocess.TimeoutExpired):
            child.wait(pause)
    return samples


def resident(pid: int) -> float:
    """Resident memory of a process in MiB; 0 when it has just ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return 0.0
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / _KIBIBYTE if found else 0.0


def _known(directory: Path) -> tuple[int, int]:
    """URLs and answers in a crawl's store; 0 where there is none, as of plain Scrapy."""
    try:
        with StoreReader.open(directory) as reader:
            return reader.count_urls(), reader.count_answers()
    except StoreError:
        return 0, 0


def table(samples: Sequence[Sample]) -> str:
    """Ten rows of a crawl, and what a page took from the middle to the end."""
    step = max(1, len(samples) // 10)
    rows = [*samples[::step], *samples[-1:]]
    lines = ["seconds       MiB        URLs       pages"]
    lines += [f"{r.seconds:7.0f} {r.mebibytes:9.1f} {r.urls:11,} {r.pages:11,}" for r in rows]
    middle, end = samples[len(samples) // 2], samples[-1]
    if end.pages > middle.pages:
        taken = (end.mebibytes - middle.mebibytes) * _KIBIBYTE**2 / (end.pages - middle.pages)
        lines.append(f"From the middle to the end: {taken:.0f} bytes a page more")
    lines.append(f"Peak: {max(row.mebibytes for row in samples):.1f} MiB")
    return "\n".join(lines)


def _write(samples: Sequence[Sample], path: Path) -> None:
    lines = ["\t".join(Sample._fields)]
    lines += [f"{s.seconds:.1f}\t{s.mebibytes:.2f}\t{s.urls}\t{s.pages}" for s in samples]
    path.write_text("\n".join([*lines, ""]), encoding="ascii")


def _plot(curves: dict[str, list[Sample]], path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5))
    for which, samples in curves.items():
        axes.plot([one.seconds for one in samples], [one.mebibytes for one in samples], label=which)
    axes.set(xlabel="seconds", ylabel="resident memory, MiB", ylim=(0, None))
    axes.legend()
    known = axes.twinx()
    ours = curves["ours"]
    known.plot([one.seconds for one in ours], [one.urls for one in ours], "k:", label="URLs known")
    known.set(ylabel="URLs known (ours, dotted)", ylim=(0, None))
    figure.tight_layout()
    figure.savefig(path, dpi=120)
    pyplot.close(figure)
    print(f"plotted to {path}")


def body_of(number: int, pages: int, address: str) -> str:
    """HTML of a page of the made-up web; everything follows from its number."""
    chance = random.Random(number)
    around = (number + chance.randint(-2000, 2000) for _ in range(_LINKS_AROUND // 2))
    famous = (int(pages * chance.random() ** 4) for _ in range(_LINKS_AROUND // 2))
    targets = dict.fromkeys((3 * number + 1, 3 * number + 2, 3 * number + 3, *around, *famous))
    base, port = address.rsplit(":", 1)
    parts = [
        f"<p>{' '.join(chance.choices(_WORDS, k=12))} "
        f'<a href="{base.removesuffix("1")}{one % HOSTS + 1}:{port}/p/{one}">more of {one}</a></p>'
        for one in targets
        if 0 <= one < pages and one != number
    ]
    return f"<html><head><title>Page {number}</title></head><body>{''.join(parts)}</body></html>"


async def _serve(pages: int) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    address = ""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                writer.write(_answer(head.split(b" ", 2)[1].decode(), pages, address))
                await writer.drain()
        writer.close()

    servers = [await asyncio.start_server(answer, "127.66.0.1", 0)]
    port = servers[0].sockets[0].getsockname()[1]
    others = [f"127.66.0.{host}" for host in range(2, HOSTS + 1)]
    servers += [await asyncio.start_server(answer, other, port) for other in others]
    address = f"http://127.66.0.1:{port}"
    print(address, flush=True)
    await stopped.wait()
    for server in servers:
        server.close()


def _answer(path: str, pages: int, address: str) -> bytes:
    found = re.fullmatch(r"/p/(\d+)", path)
    if found is None or int(found[1]) >= pages:
        return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
    body = body_of(int(found[1]), pages, address).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body
