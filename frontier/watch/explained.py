"""What `scrapy frontier explain` says of a URL, by a process of its own.

It reads the whole crawl, which takes memory and time that whoever watches has not.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

from frontier.errors import WatchError

if TYPE_CHECKING:
    from pathlib import Path

SECONDS: Final = 120.0
"""That it may take: a crawl of ten million URLs needs one."""
_COMMAND: Final = ("-m", "scrapy", "frontier", "explain", "--json", "--nolog", "-n", "10")


def explained(directory: Path, url: str, seconds: float = SECONDS) -> dict[str, Any]:
    """Return the report as the command prints it with --json.

    Raises WatchError where it fails, with what it says, as of a URL that the crawl never met.
    """
    command = [sys.executable, *_COMMAND, "--", str(directory), url]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=seconds,
            check=False,
            encoding="utf-8",
            errors="replace",
        )
        if done.returncode:
            raise WatchError(_said(done.stderr))
        report: dict[str, Any] = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        raise WatchError(
            f"{url} was not explained within {seconds:g} seconds: the crawl is large. Run "
            f"`scrapy frontier explain {directory} URL`, which takes as long as it needs."
        ) from None
    except (OSError, ValueError) as error:  # no memory, a null byte, no JSON
        raise WatchError(f"{url!r:.200} cannot be explained: {error}") from error
    return report


def _said(errors: str) -> str:
    """What a command says last, without its name."""
    lines = errors.strip().splitlines() or ["it fails and does not say why"]
    return lines[-1].removeprefix("scrapy frontier: ")
