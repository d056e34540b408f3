"""Classes of a user's own, named by import path as in Scrapy's settings."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ranking.spelling import or_rather


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
