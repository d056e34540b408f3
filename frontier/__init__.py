"""The frontier of a crawl: remembers every URL, and chooses the next.

``from frontier import focus`` is the ready-made crawl in three lines of Python; it is loaded when
it is asked for, so that importing the package stays light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frontier.plugin.focus.python import focus

__all__ = ["focus"]


def __getattr__(name: str) -> Any:
    if name != "focus":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from frontier.plugin.focus.python import focus

    return focus
