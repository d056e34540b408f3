"""The forms of a page and of a link on their way, counted: the table of docs/life-of-a-url.md."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs/life-of-a-url.md").read_text(encoding="utf-8")
TABLE = PAGE.partition("## Its forms")[2].partition("\n## ")[0]
OF_A_PAGE = {"title", "marks"}
OF_A_LINK = {"anchor", "anchors", "matches"}
"""Fields by which a class is a form of either."""


def fields(node: ast.ClassDef) -> set[str]:
    named = (one.target for one in node.body if isinstance(one, ast.AnnAssign))
    return {one.id for one in named if isinstance(one, ast.Name)}


def forms(by: set[str]) -> set[str]:
    """Classes with one of some fields, in the modules that the page names."""
    paths = {ROOT / path for path in re.findall(r"`((?:frontier|ranking)/[\w/]+\.py)`", PAGE)}
    trees = [ast.parse(path.read_bytes()) for path in paths]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return {node.name for node in nodes if fields(node) & by}


def told(columns: slice) -> set[str]:
    rows = [line.strip("|").split("|") for line in TABLE.splitlines() if line.startswith("|")][2:]
    cells = " ".join(cell for row in rows for cell in row[columns])
    return set(re.findall(r"`([A-Z]\w+)`", cells)) - {"Response"}


def test_the_forms_are_those_that_the_page_names() -> None:
    assert forms(OF_A_PAGE | OF_A_LINK) == told(slice(0, 2))


def test_they_do_not_become_more() -> None:
    assert len(told(slice(0, 1))) <= 6
    assert len(forms(OF_A_LINK)) <= 4
