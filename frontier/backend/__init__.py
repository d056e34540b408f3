"""The backend: what is known of every URL, and which one leaves next.

A program of Frontera names `LinkRankBackend` as its BACKEND. The class is loaded at first use, so
that an import of another module of this package does not load it.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    if name != "LinkRankBackend":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return import_module("frontier.backend.backend").LinkRankBackend
