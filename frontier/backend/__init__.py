"""The backend: what is known of every URL, and which one leaves next.

`LinkRankBackend` is what a program of Frontera names as its BACKEND. It is loaded when it is named,
for those who need one module of this package.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name != "LinkRankBackend":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module("frontier.backend.backend").LinkRankBackend
