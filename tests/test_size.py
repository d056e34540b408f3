"""The house stays small: statements are counted, so that nothing is gained by writing closer."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

from frontier.plugin.settings import SETTINGS
from ranking.orders import ORDERS

ROOT = Path(__file__).resolve().parents[1]
STATEMENTS = {
    ("frontier", "ranking"): 28_300,
    ("tests",): 31_130,  # 1.1 times what they test
    ("benchmarks",): 3_330,
}
"""Statements of the .py files of some folders on 30 November 2026, and what is planned."""
HEADROOM = 1.1
"""Allowed factor of growth, so that a contribution of some 60 lines passes."""


def sources(*folders: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("no git repository: what belongs to the project cannot be told")
    paths = [ROOT / name for name in listed.stdout.split("\0")]
    return [path for path in paths if path.suffix in (".py", ".pyx") and path.is_file()]


def is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def statements(path: Path) -> int:
    nodes = ast.walk(ast.parse(path.read_bytes()))
    return sum(isinstance(node, ast.stmt) and not is_docstring(node) for node in nodes)


@pytest.mark.parametrize("folders", STATEMENTS, ids=" + ".join)
def test_no_part_grows_beyond_its_budget(folders: tuple[str, ...]) -> None:
    count = sum(statements(path) for path in sources(*folders) if path.suffix == ".py")
    limit = round(HEADROOM * STATEMENTS[folders])
    assert 0 < count <= limit, (
        f"{' and '.join(folders)} have {count} statements, {limit} at most are allowed. See 'When "
        "tests/test_size.py fails' in CONTRIBUTING.md"
    )


def test_there_are_few_kernels_settings_and_strategies() -> None:
    kernels = [path for path in sources("frontier", "ranking") if path.suffix == ".pyx"]
    assert 0 < len(kernels) <= 14
    assert 0 < len(SETTINGS) <= 44
    assert 0 < len(ORDERS) <= 14
