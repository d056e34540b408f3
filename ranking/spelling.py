"""Names that people write: the nearest known name, and the object at an import path."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module
from typing import Any


def or_rather(name: str, known: Iterable[str], prefix: str = "") -> str:
    """Return ` (did you mean X?)` with the nearest of the known names; "" where none is near.

    Letter case, `-` for `_`, and a prefix that all have make no difference.
    """
    by_plain = {_plain(other.removeprefix(prefix)): other for other in known}
    nearest = get_close_matches(_plain(name.removeprefix(prefix)), by_plain, n=1)
    return f" (did you mean {by_plain[nearest[0]]}?)" if nearest else ""


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


def object_at(path: str) -> Any:
    """The object at `path`, "package.module.Name".

    Raises ImportError, whose message names what is there instead: a name without a module, a
    module that cannot be imported, or no such name.
    """
    module_name, dot, name = path.rpartition(".")
    if not dot or not module_name:
        raise ImportError("a name without a module")
    try:
        module = import_module(module_name)
    except Exception as error:  # a module of the user's may fail in any way
        reason = f"{type(error).__name__}: {error}"
        raise ImportError(f"a module that cannot be imported ({reason})") from error
    if not hasattr(module, name):
        nearest = or_rather(name, (other for other in vars(module) if other[0] != "_"))
        raise ImportError(f"a name its module does not have{nearest}")
    return getattr(module, name)
