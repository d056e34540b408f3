"""Names that people write: what was meant by an unknown name, what an import path names."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any

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


def object_at(path: str) -> Any:
    """What lies at `path`, "package.module.Name".

    Raises ImportError, which says in a few words what is there instead: `path` is a name without
    a module, its module cannot be imported, or has no such name.
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
        nearest = or_rather(name, (one for one in vars(module) if not one.startswith("_")))
        raise ImportError(f"a name its module does not have{nearest}")
    return getattr(module, name)
