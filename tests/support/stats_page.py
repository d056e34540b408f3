"""docs/stats.md: the one place where stats are declared."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "stats.md"


def documented_stats() -> set[str]:
    """Names of the stats in the table, each of which stands there once."""
    names = re.findall(r"^\| `(frontier/[^`]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(names) == len(set(names)) > 0
    return set(names)
