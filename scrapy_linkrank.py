"""What Scrapy imports first of this distribution: the way to its commands, and who hides whom.

Its packages are called `ranking` and `frontier`, and so may be a project's own. Which of two is
imported depends on `sys.path`: the `scrapy` command appends the project's directory, so that the
installed ones are found first; `python -m scrapy` and `scrapy runspider` put it in front, and so it
is beside an editable install. This module is called what nobody else's is, and says which file
hides which before anything else fails for it.
"""

from __future__ import annotations

import logging
import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
"""Where this distribution's packages lie."""
PACKAGES = ("frontier", "ranking")
COMMANDS = {
    "FocusCommand": "frontier.plugin.focus.command",
    "FrontierCommand": "frontier.plugin.commands.frontier",
    "LabCommand": "frontier.plugin.commands.lab",
    "WebCommand": "frontier.plugin.commands.web",
}

logger = logging.getLogger(__name__)


def require_own(*packages: str) -> None:
    """Raise ImportError, with a line that names both files, where a package is not ours."""
    for name in packages:
        spec = find_spec(name)
        if spec is None:
            continue
        found = Path(spec.origin or next(iter(spec.submodule_search_locations or ())))
        if found.resolve() != ROOT / name / "__init__.py":
            raise ImportError(
                f"{found} hides the package {name!r} of scrapy-linkrank in {ROOT / name}, which "
                f"the frontier needs: rename yours, for instance to my_{name}"
            )


@cache
def warn_of_hidden() -> None:
    """Log a line for each module of the user's that a package of ours hides."""
    for name in PACKAGES:
        for folder in {Path(entry).resolve(): None for entry in sys.path}:
            theirs = [folder / f"{name}.py", folder / name / "__init__.py"]
            if folder != ROOT and (found := [one for one in theirs if one.is_file()]):
                logger.warning(
                    "%s is hidden by the package %r of scrapy-linkrank in %s: `import %s` means "
                    "that one. Rename yours, for instance to my_%s",
                    *(found[0], name, ROOT / name, name, name),
                )


def __getattr__(name: str) -> Any:
    """One of the commands; where `frontier` is a project's own package, what says so if asked."""
    if name not in COMMANDS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        require_own("frontier")
    except ImportError as hidden:
        if _plugged_in():
            raise
        return _unavailable(str(hidden))
    return import_module(COMMANDS[name]).Command


def _plugged_in() -> bool:
    """Whether the project has the add-on, and so cannot do without our `frontier`."""
    from scrapy.utils.project import get_project_settings

    return any(str(one).startswith("frontier.") for one in get_project_settings()["ADDONS"])


def _unavailable(reason: str) -> type:
    """A command that tells why it is not there: Scrapy's own must work in every project."""
    from scrapy.commands import ScrapyCommand
    from scrapy.exceptions import UsageError

    class Unavailable(ScrapyCommand):
        requires_crawler_process = False

        def short_desc(self) -> str:
            return "Not available here: another package is called frontier"

        def run(self, args: list[str], opts: Any) -> None:
            raise UsageError(reason, print_help=False)

    return Unavailable
