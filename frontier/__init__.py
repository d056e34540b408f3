"""The frontier of a crawl: remembers every URL, and chooses the next.

``from frontier import focus`` is the ready-made crawl in three lines of Python, ``from frontier
import open_crawl`` opens one to read it; both are loaded when they are asked for, so that importing
the package stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frontier.plugin.focus.python import focus
    from frontier.tables import open_crawl

__all__ = ["focus", "open_crawl"]
_HOMES = {"focus": "frontier.plugin.focus.python", "open_crawl": "frontier.tables"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
