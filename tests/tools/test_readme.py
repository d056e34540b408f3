"""The README as the page of the package shows it."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TEXT = "![a\npicture](docs/a.svg) [how](docs/b.md#c), [there](https://x.example/)"


@pytest.mark.parametrize(
    ("repository", "shown"),
    [
        ("", " how, [there](https://x.example/)"),
        (
            "https://r.example/p",
            "![a\npicture](https://r.example/p/raw/HEAD/docs/a.svg) "
            "[how](https://r.example/p/blob/HEAD/docs/b.md#c), [there](https://x.example/)",
        ),
    ],
)
def test_no_link_is_relative(repository: str, shown: str) -> None:
    readme = runpy.run_path(str(ROOT / "setup.py"), run_name="setup")["readme"]
    assert readme(TEXT, repository) == shown
