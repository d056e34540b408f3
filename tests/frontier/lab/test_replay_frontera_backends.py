from __future__ import annotations

from pathlib import Path

import pytest

from frontier.lab.replay.contestants import Setup
from frontier.lab.replay.crawl import replay
from frontier.lab.replay.frontera_backends import BACKENDS
from frontier.lab.replay.simulated_fetcher import Retries
from tests.frontier.lab import replay_webs as webs

TREE = {
    "": webs.page("1", "2"),
    "1": webs.page("11", "12"),
    "2": webs.page("21", "old"),
    "11": webs.page(""),
    "12": webs.failed(503),
    "21": webs.page(),
    "old": webs.sent_on("new"),
    "new": webs.page("1"),
}


def fetched(folder: Path, row: str) -> list[str]:
    with webs.made(folder, TREE) as web:
        return webs.paths(web, replay(webs.task(row), web, Setup(retries=Retries(1))).urls)


def test_breadth_first_is_by_depth_and_discovery(tmp_path: Path) -> None:
    expected = ["", "1", "2", "11", "12", "12", "21", "old", "new"]
    assert fetched(tmp_path, "frontera-bfs") == expected
    assert fetched(tmp_path, "frontera-fifo") == expected


def test_depth_first_goes_down_first(tmp_path: Path) -> None:
    assert fetched(tmp_path, "frontera-lifo") == [
        *("", "2", "old", "new", "21"),
        *("1", "12", "12", "11"),
    ]
    assert fetched(tmp_path, "frontera-dfs")[0] == ""


@pytest.mark.parametrize("row", BACKENDS)
def test_every_backend_fetches_everything_once(tmp_path: Path, row: str) -> None:
    found = fetched(tmp_path, row)
    found.remove("12")  # was asked again, as it failed
    assert sorted(found) == sorted(TREE)


def test_what_is_drawn_by_chance_repeats(tmp_path: Path) -> None:
    assert fetched(tmp_path, "frontera-random") == fetched(tmp_path, "frontera-random")
