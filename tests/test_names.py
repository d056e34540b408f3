"""Names in the code: a class has its own, and none is a word that stands for any other."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted(path for top in ("frontier", "ranking") for path in (ROOT / top).rglob("*.py"))
EMPTY = {"one", "said", "told", "tells", "look", "voice", "cue", "lesson", "promise", "shape"}
"""Words that say nothing of what a class, function, argument or attribute is."""
SHARED = {"Command"}
"""Scrapy finds a command by the name of its module; each has a class of this name."""


def nodes(path: Path) -> Iterator[ast.AST]:
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def test_no_two_classes_have_one_name() -> None:
    names = Counter(
        node.name for path in SOURCES for node in nodes(path) if isinstance(node, ast.ClassDef)
    )
    assert {name for name, count in names.items() if count > 1} <= SHARED


def test_names_say_what_they_name() -> None:
    assert {(path.name, name) for path in SOURCES for name in named(path) & EMPTY} == set()


def named(path: Path) -> set[str]:
    """Classes, functions, arguments and attributes of a file, without underscores around them."""
    names = set()
    for node in nodes(path):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
    return {name.strip("_").lower() for name in names}


def test_no_two_files_of_tests_have_one_name() -> None:
    """Pytest imports a file of tests by its name alone."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert {name for name, count in names.items() if count > 1} == set()
