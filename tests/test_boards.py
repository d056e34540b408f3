"""What the board and the metadata in examples/ name exists in a real crawl."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
import yaml

from frontier.store.schema import COLUMNS
from tests.support.scrapy_runs import BY_WORD, JUDGED, ROOT, run_spider
from tests.support.sites import Asked, Said, links, serving

EXAMPLES = ROOT / "examples"
PAGES = 30


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The store of a crawl, and its metrics when the last page was asked for."""
    folder = tmp_path_factory.mktemp("crawled")
    seen: list[str] = []

    def page(asked: Asked) -> Said:
        k = int(asked.path[1:] or 0)
        if k == PAGES:
            time.sleep(1.5)  # figures are those of the last second
            url = re.findall(r"Metrics at (\S+)", (folder / "log").read_text())[0]
            with urlopen(url, timeout=20) as answer:
                seen.append(answer.read().decode())
        words = " ".join(f"word{k}x{one}" for one in range(20))
        return None if k == 3 else links("/3", text=f"wanted {words}")

    with serving(page) as site:
        # Seeds all: what is left is not known while pages lead to others.
        code = JUDGED.replace(
            "yield scrapy.Request({url!r})",
            "for url in {url!r}: yield scrapy.Request(url)",
        ).format(url=[f"{site.url}/{k}" for k in range(4, PAGES + 1)])
        run = run_spider(
            folder,
            code,
            *(*BY_WORD, "FRONTIER_METRICS_PORT=0", "JOBDIR=job", "LOG_FILE=log"),
        )
    assert run.returncode == 0
    (metrics,) = seen
    return folder / "job" / "frontier.sqlite", metrics


@pytest.fixture(scope="module")
def board() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((EXAMPLES / "grafana" / "frontier.json").read_text())
    return found


def expressions(board: dict[str, Any]) -> list[str]:
    return [target["expr"] for panel in board["panels"] for target in panel["targets"]]


def test_every_metric_that_the_board_names_is_one_of_a_crawl(
    board: dict[str, Any], crawled: tuple[Path, str]
) -> None:
    shown = set(re.findall(r"^(\w+)(?:{| )", crawled[1], re.MULTILINE))
    named = {
        name
        for text in expressions(board)
        for name in re.findall(r"\b(?:frontier|scrapy|process)_\w+", text)
    }
    assert len(named) > 20
    assert named - shown == set()


def test_a_metric_is_asked_for_as_its_type_is(
    board: dict[str, Any], crawled: tuple[Path, str]
) -> None:
    types = dict(re.findall(r"^# TYPE (\S+) (\S+)$", crawled[1], re.MULTILINE))
    rated = {name for one in expressions(board) for name in re.findall(r"rate\((\w+)", one)}
    assert rated
    assert {types[name] for name in rated} == {"counter"}


def test_the_board_is_one_for_grafana_whatever_the_data_source(board: dict[str, Any]) -> None:
    assert board["schemaVersion"] >= 38
    source, instance = board["templating"]["list"]
    assert (source["name"], source["type"], source["query"]) == (
        *("datasource", "datasource"),
        "prometheus",
    )
    assert "frontier_pages" in instance["definition"]
    places = set()
    for panel in board["panels"]:
        assert panel["datasource"]["uid"] == "${datasource}"
        assert all('instance=~"$instance"' in target["expr"] for target in panel["targets"])
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not cells & places, "panels lie on each other"
        assert max(x for x, _ in cells) < 24
        places |= cells
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])


@pytest.fixture(scope="module")
def metadata() -> dict[str, Any]:
    text = (EXAMPLES / "datasette" / "metadata.yaml").read_text()
    found: dict[str, Any] = yaml.safe_load(text)["databases"]["frontier"]
    return found


def test_every_query_finds_something_in_a_real_store(
    metadata: dict[str, Any], crawled: tuple[Path, str]
) -> None:
    with closing(sqlite3.connect(f"file:{crawled[0]}?mode=ro&immutable=1", uri=True)) as store:
        (url,) = store.execute("SELECT url FROM urls WHERE referrer IS NOT NULL").fetchone()
        for name, query in metadata["queries"].items():
            assert query["title"], name
            assert store.execute(query["sql"], {"url": url}).fetchall(), name
        errors = store.execute(metadata["queries"]["errors_by_reason"]["sql"]).fetchall()
        assert [(reason, urls) for reason, urls, _ in errors] == [("HTTP 404", 1)]
        hosts = store.execute(metadata["queries"]["harvest_by_host"]["sql"]).fetchall()
        (pages,) = store.execute("SELECT count(*) FROM pages WHERE state = 3").fetchone()
        assert [row[1] for row in hosts] == [pages]


def test_tables_and_columns_are_those_of_the_store(metadata: dict[str, Any]) -> None:
    assert metadata["tables"].keys() == COLUMNS.keys()
    for name, table in metadata["tables"].items():
        assert set(table.get("columns", ())) <= set(COLUMNS[name]), name
        assert table.get("hidden") or table["description"], name
