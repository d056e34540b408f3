"""The wall between crawl and frontier: what is asked through it, and that nothing else is."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest

from frontier import protocol
from frontier.backend.backend import LinkRankBackend
from frontier.exchange.remote import RemoteBackend
from frontier.plugin.crawl.embedded import EmbeddedFrontier
from frontier.plugin.shared import SharedFrontier
from frontier.protocol import Frontier

ROOT = Path(__file__).resolve().parents[2]
MEMBERS = {name for name in (*vars(Frontier), *Frontier.__annotations__) if name[0] != "_"}
METHODS = {name for name in MEMBERS if inspect.isfunction(getattr(Frontier, name, None))}
BEHIND = ("add_seeds", "knows", "next", "take", "failed", "redirected", "retry", "finish", "url")
"""What the lab's replay, `serve` and the tests' crawls ask of what stands behind it."""


OF_THE_BACKEND = {"serve.py", "frontera.py"}
"""Modules with a backend of their own: the owner of a shared crawl, and programs of Frontera."""


def asked_of(name: str, tree: ast.AST) -> Iterator[str]:
    """Attributes that are read or called of what an attribute of this name holds."""
    for node in ast.walk(tree):
        of = node.value if isinstance(node, ast.Attribute) else None
        if isinstance(of, ast.Attribute) and of.attr == name:
            yield node.attr


def plugin() -> list[Path]:
    folders = ("frontier/plugin", "crawler", "examples")
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return [path for path in paths if path.name not in OF_THE_BACKEND]


def test_a_crawl_asks_its_frontier_for_nothing_but_what_the_wall_has() -> None:
    asked = {
        (path.name, name)
        for path in plugin()
        for holder in ("frontier", "_frontier")
        for name in asked_of(holder, ast.parse(path.read_text(encoding="utf-8")))
    }
    assert len(asked) > 20
    assert {(path, name) for path, name in asked if name not in MEMBERS} == set()
    assert {name for _, name in asked} >= {"next", "take", "failed", "redirected", "retry"}


def test_nobody_reaches_through_the_session() -> None:
    reached = {
        (path.name, name)
        for path in plugin()
        for name in ("backend", "manager", "_manager")
        if any(True for _ in asked_of(name, ast.parse(path.read_text(encoding="utf-8"))))
    }
    assert reached == set()


def test_the_wall_is_small_and_says_what_everything_is() -> None:
    source = ast.parse(Path(protocol.__file__).read_text(encoding="utf-8"))
    names = {node.id for node in ast.walk(source) if isinstance(node, ast.Name)}
    assert "Any" not in names
    assert len(METHODS) <= 26
    for name in METHODS:
        assert inspect.getdoc(getattr(Frontier, name)), name


@pytest.mark.parametrize("kind", [EmbeddedFrontier, SharedFrontier, LinkRankBackend, RemoteBackend])
def test_both_sides_take_the_same_arguments(kind: type) -> None:
    """Beside what mypy sees: by the same names, so that a call by name means the same."""
    whole = issubclass(kind, (EmbeddedFrontier, SharedFrontier))
    for name in METHODS if whole else BEHIND:
        if name == "again" and kind is EmbeddedFrontier:
            continue  # is a method of an object of its own
        wanted = inspect.signature(getattr(Frontier, name)).parameters
        assert list(inspect.signature(getattr(kind, name)).parameters) == list(wanted), name
