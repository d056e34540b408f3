"""The house stays small: who needs more lines takes as many away elsewhere."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from frontier.plugin.settings import SETTINGS
from ranking.orders import ORDERS

ROOT = Path(__file__).resolve().parents[1]
LINES = {
    ("frontier", "ranking"): 47_300,  # 42,000; looking at pages again; watching and searching
    ("frontier/plugin",): 8_500,  # 7,800, and what those three add
    ("ranking",): 10_000,
    ("tests",): 47_300,  # no longer than what they test
    ("benchmarks",): 6_000,
}
"""Raw lines of .py and .pyx in some folders, at most."""


def sources(*folders: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("no git repository: what belongs to the project cannot be told")
    names = listed.stdout.split("\0")
    paths = [ROOT / name for name in names if name.endswith((".py", ".pyx"))]
    return [path for path in paths if path.is_file()]


@pytest.mark.parametrize("folders", LINES, ids=" + ".join)
def test_no_part_grows_beyond_its_budget(folders: tuple[str, ...]) -> None:
    lines = sum(len(path.read_bytes().splitlines()) for path in sources(*folders))
    assert 0 < lines <= LINES[folders], "take lines away, in this part or in what it can do without"


def test_there_are_few_kernels_settings_and_strategies() -> None:
    kernels = [path for path in sources("frontier", "ranking") if path.suffix == ".pyx"]
    assert 0 < len(kernels) <= 14
    assert 0 < len(SETTINGS) <= 40
    assert 0 < len(ORDERS) <= 12
