"""Private names of other packages: few, and in one file, where an update of theirs is answered."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontier.plugin import compat

ROOT = Path(__file__).resolve().parents[3]
COMPAT = ROOT / "frontier/plugin/compat.py"
MOST = 8
"""Names. Each is where a library opens connections, or what no public name of Scrapy's does."""
PUBLIC = {"_replace", "_asdict", "_fields", "_exit", "_class"}
"""Of named tuples, of `os`, and a key of `Request.to_dict`: documented, for all their spelling."""
OWN = re.compile(r"(frontier|ranking|crawler)\b")
SOURCES = {
    path: ast.parse(path.read_text(encoding="utf-8"))
    for folder in ("frontier", "ranking", "crawler")
    for path in sorted((ROOT / folder).rglob("*.py"))
}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC


def is_own(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in ("self", "cls")


def names_of_ours() -> Iterator[str]:
    """What our code itself defines: functions, classes, variables, attributes."""
    for tree in SOURCES.values():
        for node in ast.walk(tree):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield node.name
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
            elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                if is_own(node.value):
                    yield node.attr
            elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ranking."):
                yield from (one.name for one in node.names)


OURS = frozenset(names_of_ours())


def private_names(path: Path) -> set[str]:
    """Names of others that a file reaches for: as attributes, by getattr, or imported."""
    found: set[str] = set()
    for node in ast.walk(SOURCES[path]):
        if isinstance(node, ast.Attribute) and not is_own(node.value):
            if path == COMPAT or node.attr not in OURS:
                found.add(node.attr)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("getattr", "setattr"):
            found |= {str(one.value) for one in node.args if isinstance(one, ast.Constant)} - OURS
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            if path == COMPAT:  # a name that is used in several places
                found.add(str(node.value.value))
        elif isinstance(node, ast.ImportFrom) and not OWN.match(node.module or ""):
            found |= {one.name for one in node.names}
    return {name for name in found if is_private(name)}


def test_private_names_of_other_packages_are_few_and_in_one_file() -> None:
    elsewhere = {path: names for path in SOURCES if (names := private_names(path))}
    assert len(elsewhere.pop(COMPAT)) <= MOST
    assert elsewhere == {}


class Client:
    """Holds what opens connections, under a name of its own."""

    def __init__(self, *parts: object) -> None:
        self._parts = len(parts)
        for number, part in enumerate(parts):
            setattr(self, f"_part_{number}", part)


def test_a_part_is_found_by_what_it_can_do() -> None:
    path = Path("a")
    assert compat.part_with("exists", Client("text", path, 1.0)) is path


@pytest.mark.parametrize("parts", [(), (Path("a"), Path("b"))])
def test_no_part_is_taken_where_it_is_not_known_which_connects(parts: tuple[Path, ...]) -> None:
    with pytest.raises(TypeError, match=f"got {len(parts)}"):
        compat.part_with("exists", Client(*parts))
