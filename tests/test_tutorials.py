"""The pages that show how to write a strategy, a topic model, a program: their code runs as is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontier.store import StoreReader
from frontier.store.schema import IDENTITY
from frontier.web.demo import demo_web
from frontier.web.serving import WebServer
from ranking.topics import load_topic_model
from tests.support.stored import stored_pages, stored_urls
from tests.test_docs import ROOT, blocks

STRATEGY, MODEL = (ROOT / "docs" / f"write-a-{name}.md" for name in ("strategy", "topic-model"))
PROXY = "http://127.0.0.1:8765"
"""As the pages have it; a test serves on any free port."""


class Reader:
    """Somebody who types what a page shows, in an empty directory."""

    def __init__(self, folder: Path, proxy: str) -> None:
        self.folder, self.proxy = folder, proxy
        (folder / "bin").mkdir()
        scrapy = folder / "bin" / "scrapy"
        # As the installed script: the current directory is not on the import path.
        run = "import sys; sys.path.pop(0); from scrapy.cmdline import execute; execute()"
        scrapy.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{run}" "$@"\n')
        scrapy.chmod(0o755)

    def write(self, page: Path) -> None:
        for code in blocks(page, "python"):
            name = code.splitlines()[0].removeprefix("# ").partition(",")[0]
            path = self.folder / name
            path.write_text((path.read_text() if "settings" in name else "") + code)

    def type(self, commands: str) -> str:
        done = subprocess.run(
            ["sh", "-e", "-c", commands.replace(PROXY, self.proxy)],
            cwd=self.folder,
            env={
                **os.environ,
                "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
                "PYTHONPATH": str(ROOT),
                "XDG_CACHE_HOME": str(self.folder / "cache"),
                "http_proxy": self.proxy,
            },
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        return done.stdout


def crawled(directory: Path) -> tuple[list[str], dict[str, str]]:
    """URLs of the fetched pages in their order, and what the crawl is about."""
    with StoreReader.open(directory) as reader:
        urls = [row.url for row in stored_urls(reader)]
        return [urls[row.url_id] for row in stored_pages(reader)], reader.settings()[IDENTITY]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    with WebServer(demo_web()) as web:
        one = Reader(tmp_path_factory.mktemp("skies"), web.url)
        one.type(blocks(STRATEGY, "sh")[0])
        one.write(STRATEGY)
        one.write(MODEL)
        yield one


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_strategy_of_the_page_crawls_explains_resumes_and_is_replayed_beside_bfs(
    reader: Reader,
) -> None:
    _, crawl, explain, again, lab = blocks(STRATEGY, "sh")
    reader.type(crawl)
    first, identity = crawled(reader.folder / "crawls" / "mine")
    assert identity["strategy"] == "skies.orders.RelevantParents"
    rows = {line.split()[0]: line.split()[1:] for line in reader.type(explain).splitlines() if line}
    assert rows["strategy"] == ["relevant-parents"]
    assert rows["formula"] == ["Σ", "rel(u)", "+", "pred(v)", "−", "depth(v)", "/", "10"]
    reader.type(again)
    both, _ = crawled(reader.folder / "crawls" / "mine")
    assert both[: len(first)] == first
    assert len(both) == len(set(both)) > len(first) + 40
    table = reader.type(lab)
    assert "skies.orders.RelevantParents" in table
    results = json.loads((reader.folder / "lab" / "results.json").read_text())
    areas = {row["strategy"]: row["figures"]["nauc"]["mean"] for row in results["summary"]}
    assert areas["skies.orders.RelevantParents"] > areas["bfs"] + 0.2


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_topic_model_of_the_page_judges_pages_and_is_resumed(reader: Reader) -> None:
    crawl, again = blocks(MODEL, "sh")
    for commands in (crawl, again):
        reader.type(commands)
    pages, identity = crawled(reader.folder / "crawls" / "words")
    assert identity["topic model"] == "skies.topics.WordShare"
    assert len(pages) == len(set(pages)) > 40
    with StoreReader.open(reader.folder / "crawls" / "words") as store:
        judged = [row.relevance for row in stored_pages(store) if row.relevance is not None]
    values = {round(relevance, 6) for relevance in judged}
    assert values <= {share / 5 for share in range(6)}, "of five words of the topic"
    assert len(values) > 2


def test_the_topic_model_of_the_page_goes_on_from_its_state(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(reader.folder))
    model, resumed = (load_topic_model("skies.topics.WordShare") for _ in range(2))
    model.fit("stars planets", [])
    resumed.restore(model.state())
    for one in (model, resumed):
        assert one.relevance("the stars above") == 0.5
        assert one.predict_links([("planets", "and stars", "http://x.example/")]) == [1.0]


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_program_of_frontera_crawls_resumes_and_takes_its_own_strategy(
    tmp_path: Path, reader: Reader
) -> None:
    program = Reader(tmp_path, reader.proxy)
    page = ROOT / "docs" / "frontera.md"
    program.write(page)
    (both,) = blocks(page, "sh")
    lines = program.type(both.replace("python ", f"{sys.executable} ")).splitlines()
    urls = [line.split()[1] for line in lines]
    assert len(urls) == len(set(urls)) > 70
    assert sum(float(line.split()[0]) > 0.5 for line in lines[:40]) > 20, "relevance comes first"
    code = (tmp_path / "crawl.py").read_text()
    own = 'settings.set("CRAWLING_STRATEGY", "strategies.Short")\n\nmanager ='
    (tmp_path / "crawl.py").write_text(code.replace("manager =", own).replace('stars"', 'short"'))
    short = [line.split()[1] for line in program.type(f"{sys.executable} crawl.py").splitlines()]
    assert len(short) > 30
    assert sum(map(len, short)) / len(short) < 0.8 * sum(map(len, urls)) / len(urls)
