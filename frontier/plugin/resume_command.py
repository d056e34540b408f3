"""The commands that go on with a crawl, or look at it, as they would be typed in this directory."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy.settings import BaseSettings


def how_to_go_on(settings: BaseSettings) -> str:
    """Return how to resume this crawl, in words and as a command."""
    if not settings.get("JOBDIR"):
        return "it cannot go on, for it had no JOBDIR: give -s JOBDIR=DIR the next time"
    return f"to go on, run again: {resume_command(settings)}"


def resume_command(settings: BaseSettings) -> str:
    """The command that goes on with a crawl that has a JOBDIR, for a shell in this directory."""
    # Scrapy takes its command's name out of sys.argv.
    return str(settings.get("FRONTIER_RESUME_COMMAND") or "") or command_line(sys.orig_argv)


def command_line(arguments: Sequence[str]) -> str:
    """Return what was typed, of the arguments that the interpreter was started with."""
    if Path(arguments[1]).stem == "scrapy":
        # A script is started by its path, also where its name alone was typed.
        return shlex.join([_typed(arguments[1]), *arguments[2:]])
    return shlex.join(arguments)


def this_scrapy() -> str:
    """How a shell in this directory starts the scrapy of this environment."""
    script = Path(sys.executable).with_name("scrapy")
    if not script.exists():
        return shlex.join([sys.executable, "-m", "scrapy"])
    return shlex.quote(_typed(str(script)))


def _typed(path: str) -> str:
    """What stands for a program: its name where that finds it, else a path, short if it can be."""
    if shutil.which(Path(path).name) == path:
        return Path(path).name
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path
