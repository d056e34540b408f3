"""Every example does what its README says: crawls of a small site, by real Scrapy processes."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontier.web.demo import demo_web
from frontier.web.serving import WebServer
from tests.support.scrapy_runs import run_focused, scrapy
from tests.support.sites import Site, links, serving

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
QUOTE = '<div class="quote"><span class="text">{}</span><small class="author">{}</small></div>'
ALLOWED = ("-s", "FRONTIER_ALLOW_NETWORKS=127.0.0.0/8", "-s", "TELNETCONSOLE_ENABLED=0")
ONE_BY_ONE = ("-s", "CONCURRENT_REQUESTS=1", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=1")
STARS = "The observatory has a new telescope for galaxies, planets and the light of a star."
FOOD = "The recipe for the oven: eggs, butter, sugar, flour and onions."


@pytest.fixture
def site() -> Iterator[Site]:
    pages = {
        "/": links("/a", "/b", "/c"),
        "/a": links("/hub", text=STARS + QUOTE.format("So it goes.", "Vonnegut")),
        "/b": links("/hub", text=FOOD),
        "/c": links("/hub", text="A list of ships and their harbours."),
        "/hub": links(text=QUOTE.format("I would prefer not to.", "Melville")),
    }
    with serving(pages) as site:
        yield site


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of the demonstration web, with texts and an index."""
    folder = tmp_path_factory.mktemp("demonstration")
    seeds = folder / "seeds.txt"
    seeds.write_text("http://observatory.example/\n")
    with WebServer(demo_web()) as web:
        arguments = ("-a", f"seeds={seeds}", "-a", "topic=planets and stars")
        limits = ("-s", "CLOSESPIDER_PAGECOUNT=30", "-s", f"JOBDIR={folder / 'job'}")
        kept = ("-s", "FRONTIER_TEXT=all", "-s", "FRONTIER_INDEX=1")
        done = run_focused(folder, *arguments, *limits, *kept, proxy=web.url)
    assert done.returncode == 0, done.log
    return folder / "job"


def crawl(name: str, spider: str, site: Site, folder: Path) -> list[dict[str, object]]:
    """Crawl with a copy of an example; returns its items, the crawl is in `folder`/job."""
    shutil.copytree(EXAMPLES / name, folder, dirs_exist_ok=True)
    if (folder / "train.py").exists():
        subprocess.run([sys.executable, "train.py"], cwd=folder, check=True, timeout=100)
    arguments = ("-a", f"url={site.url}/", "-s", "JOBDIR=job", "-O", "items.jsonl", *ALLOWED)
    done = scrapy("crawl", spider, *arguments, *ONE_BY_ONE, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    return [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]


def test_a_plain_project(site: Site, tmp_path: Path) -> None:
    items = crawl("plain", "quotes", site, tmp_path)
    assert {item["author"] for item in items} == {"Vonnegut", "Melville"}
    done = scrapy("frontier", "stats", "job", "--json", cwd=tmp_path)
    stats = json.loads(done.stdout)
    assert (stats["strategy"], stats["states"]["crawled"]) == ("ppr", 5)


def test_a_strategy_of_ones_own_orders_the_crawl(site: Site, tmp_path: Path) -> None:
    crawl("strategy", "follow", site, tmp_path)
    # The hub passes the third of the pages that link to it, once two of them are read.
    assert site.paths.index("/hub") == 3


def test_a_classifier_says_what_is_relevant(site: Site, tmp_path: Path) -> None:
    items = crawl("classifier", "news", site, tmp_path)
    relevance = {str(item["url"]).removeprefix(site.url): item["relevance"] for item in items}
    assert relevance["/a"] > 0.5 > relevance["/b"]


def test_the_notebook_opens_a_crawl_and_draws_it(demonstration: Path, tmp_path: Path) -> None:
    cells = json.loads((EXAMPLES / "notebook/crawl.ipynb").read_text())["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    assert not any(cell.get("outputs") for cell in cells)
    # An interpreter prints what a notebook shows; a kernel would be a dozen packages.
    program = (
        f"import ast\nnames = {{}}\nfor cell in {code!r}:\n"
        "    for one in ast.parse(cell).body:\n"
        "        exec(compile(ast.Interactive([one]), 'cell', 'single'), names)\n"
    )
    environment = {"PATH": "", "JOBDIR": str(demonstration), "PYTHONPATH": str(EXAMPLES.parent)}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env={**environment, "MPLBACKEND": "agg", "MPLCONFIGDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "observatory.example" in done.stdout
    assert "crawled" in done.stdout
    assert (tmp_path / "harvest.png").read_bytes().startswith(b"\x89PNG")


def test_an_agent_asks_a_crawl_of_the_demonstration_web(demonstration: Path) -> None:
    asked = subprocess.run(
        [sys.executable, EXAMPLES / "agent/ask.py", "job", "telescope"],
        cwd=demonstration.parent,
        env={"PATH": "", "PYTHONPATH": str(EXAMPLES.parent)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert asked.returncode == 0, asked.stderr
    lines = asked.stdout.splitlines()
    assert lines[0] == "30 pages about: planets and stars"
    assert [line[:2] for line in lines if line[:1].isdigit()][1:] == ["1.", "2.", "3."]
    assert "telescope" in asked.stdout.lower()
    assert ".example/" in asked.stdout
