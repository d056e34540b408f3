"""What somebody may have meant by a name that does not exist."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def or_rather(name: str, known: Iterable[str], prefix: str = "") -> str:
    """Return ` (did you mean X?)` with the nearest of the known names; "" where none is near.

    Letter case, `-` for `_`, and a prefix that all have make no difference.
    """
    by_plain = {_plain(one.removeprefix(prefix)): one for one in known}
    found = get_close_matches(_plain(name.removeprefix(prefix)), by_plain, n=1)
    return f" (did you mean {by_plain[found[0]]}?)" if found else ""


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")
