"""`-a scores=FILE` in real processes: another order, the same one after a kill, and bad files."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from frontier.store import StoreReader
from tests.support.scrapy_runs import QUICK, ROOT, run_focused
from tests.support.sites import Asked, Page, Site, links, serving
from tests.support.told import tells

N = 40


def slow_web() -> dict[str, object]:
    """A portal that leads to all pages, each of which leads to the next; an answer takes 10 ms."""

    def page(*targets: str) -> object:
        def answer(asked: Asked) -> Page:
            time.sleep(0.01)
            return 200, {"Content-Type": "text/html"}, links(*targets).encode()

        return answer

    pages: dict[str, object] = {"/": page(*(f"/{i}" for i in range(N)))}
    return pages | {f"/{i}": page(f"/{(i + 1) % N}") for i in range(N)}


def scores_of(folder: Path, site: Site) -> Path:
    """A file in which the last pages of the portal score most."""
    path = folder / "scores.tsv"
    rows = [f"{site.url}/{i}\t{i}" for i in range(N // 2, N)]
    path.write_text("\n".join(["name\tscore", *rows, ""]))
    return path


@pytest.mark.slow
def test_the_order_changes_and_survives_kill_9(tmp_path: Path) -> None:
    with serving(slow_web()) as site:
        arguments = ["-a", f"seeds={site.url}/", "-a", "strategy=bfs"]
        arguments += ["-a", f"scores={scores_of(tmp_path, site)}"]
        whole = run_focused(tmp_path, *arguments)
        assert whole.returncode == 0
        order, site.asked[:] = site.paths, []
        # -40 / 10^(5/6) lies between -5 and -6.
        assert order[:7] == ["/", "/0", "/1", "/2", "/3", "/4", f"/{N - 1}"]
        job = tmp_path / "job"
        command = [sys.executable, "-m", "scrapy", "crawl", "focused", *arguments]
        for one in (*QUICK, f"JOBDIR={job}", "AUTOTHROTTLE_ENABLED=0", "CONCURRENT_REQUESTS=1"):
            command += ["-s", one]
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(command, cwd=ROOT, stdout=quiet, stderr=quiet)
        deadline = time.monotonic() + 60
        while len(site.paths) < 12 and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        process.kill()
        process.wait(30)
        before = site.paths
        with StoreReader.open(job) as reader:
            leased = len(reader.leases())
        (tmp_path / "scores.tsv").unlink()
        resumed = run_focused(tmp_path, *arguments, "-s", f"JOBDIR={job}")
        assert resumed.returncode == 0
        after = site.paths[len(before) :]
    assert 12 <= len(before) < N
    assert before == order[: len(before)]
    # What was in flight is fetched again, and nothing else.
    assert after == order[len(before) - leased :]


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        (b"name\tscore\nhttp://a.example/\t1\nexample.org\t2\n", ("line 3", "example.org")),
        (b"http://a.example/\tbest\n", ("line 1", "best")),
        (None, ("absent.tsv",)),
    ],
)
def test_a_bad_file_stops_the_crawl_before_it_starts(
    tmp_path: Path, content: bytes | None, facts: tuple[str, ...]
) -> None:
    path = tmp_path / "absent.tsv"
    if content is not None:
        path = tmp_path / "scores.tsv"
        path.write_bytes(content)
    with serving({"/": "hello"}) as site:
        run = run_focused(
            *(tmp_path, "-a", f"seeds={site.url}/", "-a", "strategy=ppr", "-a", f"scores={path}")
        )
        assert site.paths == []
    assert run.returncode == 1
    assert tells(run.log, *facts)
    assert "Traceback" not in run.log
