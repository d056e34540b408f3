"""What Scrapy imports first of this distribution: the way to its commands, and who hides whom.

Scrapy loads all commands whenever it starts, in every project. So nothing of ours is imported until
one of ours is to run.

Our packages are called `ranking` and `frontier`, and so may be a project's own. Which of two is
imported depends on `sys.path`: the `scrapy` command appends the project's directory, so that the
installed ones are found first; `python -m scrapy` and `scrapy runspider` put it in front, and so it
is beside an editable install. A project without the add-on gets its own either way. With it, a line
says which file hides which; this module is called what nobody else's is.
"""

from __future__ import annotations

import logging
import sys
from functools import cache
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

ROOT = Path(__file__).resolve().parent
"""Where this distribution's packages lie."""
PACKAGES = ("frontier", "ranking")
COMMANDS = {
    "focus": (
        "frontier.plugin.focus.command",
        "Crawl from seeds for a topic, best pages first",
    ),
    "frontier": (
        "frontier.plugin.commands.frontier",
        "Look into a crawl, export its graph, rank the URLs of a crawl or of WARC files",
    ),
    "lab": (
        "frontier.plugin.commands.lab",
        "Replay crawl orders on a recorded web, without network, and compare them",
    ),
    "web": (
        "frontier.plugin.commands.web",
        "Serve a recorded web or a demonstration web on a local proxy",
    ),
}
"""Name -> module with the class `Command`, and what the list of commands says of it.

An entry point in pyproject.toml for each: `web = "scrapy_linkrank:WebCommand"`.
"""

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
        theirs = _Others.find_spec(name)
        if theirs is not None and theirs.origin is not None:  # and not just a folder of that name
            logger.warning(
                "%s is hidden by the package %r of scrapy-linkrank in %s: `import %s` means "
                "that one. Rename yours, for instance to my_%s",
                *(theirs.origin, name, ROOT / name, name, name),
            )


class _Others:
    """Finds modules of our packages' names that are not ours, wherever on the import path."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name not in PACKAGES:
            return None
        others = {str(folder): 0 for one in sys.path if (folder := Path(one).resolve()) != ROOT}
        return PathFinder.find_spec(name, list(others))


def __getattr__(name: str) -> Any:
    """A command, such as `WebCommand`: one of Scrapy's classes that knows its own name."""
    command = name.removesuffix("Command").lower()
    if command not in COMMANDS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _choose_between_namesakes()
    return _lazy_command(command)


@cache
def _choose_between_namesakes() -> None:
    """Give a project without the add-on its own; ImportError where one with it hides ours."""
    if _is_plugged_in():
        require_own("frontier")
    elif any(map(_Others.find_spec, PACKAGES)):
        sys.meta_path.insert(0, _Others)


def _is_plugged_in() -> bool:
    """Whether the project has the add-on, and so cannot do without our `frontier`."""
    from scrapy.utils.project import get_project_settings

    addons = get_project_settings().getdict("ADDONS")
    return any(
        str(one).startswith("frontier.") for one, order in addons.items() if order is not None
    )


def _lazy_command(name: str) -> type:
    from scrapy.commands import ScrapyCommand
    from scrapy.exceptions import UsageError

    module, description = COMMANDS[name]

    class Lazy(ScrapyCommand):
        """Becomes the command that it stands for as soon as Scrapy has chosen it."""

        requires_crawler_process = False

        def short_desc(self) -> str:
            return description

        def syntax(self) -> str:
            # What Scrapy asks first, and of no other command.
            if _Others in sys.meta_path:
                sys.meta_path.remove(_Others)
            try:
                require_own(*PACKAGES)
            except ImportError as hidden:
                self._hidden = str(hidden)
                return ""
            self.__class__ = import_module(module).Command
            return self.syntax()

        def run(self, args: list[str], opts: Any) -> None:
            raise UsageError(self._hidden, print_help=False)

    return Lazy
