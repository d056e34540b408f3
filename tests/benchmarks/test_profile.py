"""The table of what a crawl costs names functions that there are."""

from __future__ import annotations

import ast
from pathlib import Path

from benchmarks.profile import PARTS

ROOT = Path(__file__).resolve().parents[2]


def qualified_names() -> set[str]:
    """Of the functions of modules and of classes in `frontier`."""
    names = set()
    for path in (ROOT / "frontier").rglob("*.py"):
        for one in ast.parse(path.read_text(encoding="utf-8")).body:
            names.add(getattr(one, "name", ""))
            if isinstance(one, ast.ClassDef):
                functions = (two for two in one.body if isinstance(two, ast.FunctionDef))
                names.update(f"{one.name}.{two.name}" for two in functions)
    return names


def test_every_part_but_the_rest_is_one_of_the_project_by_its_qualified_name() -> None:
    *parts, rest = PARTS.values()
    assert not rest
    assert set(parts) <= qualified_names()
