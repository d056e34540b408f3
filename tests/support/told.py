"""What a text for people holds, whatever its words."""

from __future__ import annotations

import re
from collections.abc import Iterable


def _is_there(fact: object) -> str:
    return rf"(?<![\w.]){re.escape(str(fact))}(?!\w|[.,]\d)"


def tells(lines: str | Iterable[str], *facts: object) -> bool:
    """Whether one line holds all of these: numbers, names, URLs, each as a word of its own."""
    each = lines.splitlines() if isinstance(lines, str) else lines
    wanted = [re.compile(_is_there(fact)) for fact in facts]
    return any(all(one.search(line) for one in wanted) for line in each)


def telling(*facts: object) -> str:
    """What `match=` of `pytest.raises` is to be for an error that holds all of these."""
    return "(?s)" + "".join(f"(?=.*{_is_there(fact)})" for fact in facts)
