"""The actions of ``scrapy frontier``: every `Action` in a module of this package is one.

Nothing lists them: a new one is a function under `action`, in a module here.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from frontier.plugin.commands.base import argument

if TYPE_CHECKING:
    from collections.abc import Callable

JOBDIR = argument(
    "directory", metavar="DIR", type=Path, help="JOBDIR of the crawl, finished or running"
)


class Output(NamedTuple):
    """What an action has found."""

    said: Any
    """As JSON."""
    text: Callable[[], list[str]]
    """As lines for people."""
    exit_code: int = 0
