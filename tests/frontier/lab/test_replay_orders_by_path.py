"""Orders of a user's own as rows of a lab's table."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontier.errors import LabError
from frontier.lab.replay.contestants import Setup, chosen_rows
from frontier.lab.replay.crawl import replay
from frontier.lab.replay.webfile import WebFile
from ranking import UnknownOrderError
from tests.frontier.lab import replay_webs as webs

MODULE = "own_rows_of_a_lab"
LATEST = f"{MODULE}.Latest"
CODE = """
from ranking import Order


class Latest(Order):
    "What was found last."

    def value(self, ids, evidence):
        return ids
"""
PAGES = {
    "": webs.page("1", "2", text="comet"),
    "1": webs.page("3", text="comet"),
    "2": webs.page("4"),
    "3": webs.page(),
    "4": webs.page(),
}


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / f"{MODULE}.py"
    file.write_text(CODE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    return file


@pytest.fixture
def web(tmp_path: Path) -> Iterator[WebFile]:
    with webs.made(tmp_path, PAGES) as made:
        yield made


def test_a_path_is_a_row_that_fetches_as_its_class_says(module: Path, web: WebFile) -> None:
    assert chosen_rows([LATEST, "bfs", LATEST]) == (LATEST, "bfs")
    own = replay(webs.task(LATEST), web, Setup())
    assert webs.paths(web, own.urls) == ["", "2", "4", "1", "3"]
    assert own.key.strategy == LATEST


def test_a_path_that_leads_to_no_order_is_refused_before_anything_is_replayed(
    module: Path,
) -> None:
    with pytest.raises(UnknownOrderError, match=r"did you mean Latest\?"):
        chosen_rows([f"{MODULE}.Lattest"])
    with pytest.raises(LabError, match=r"import paths .*; found aprentice \(did you mean appr"):
        chosen_rows(["aprentice"])
