"""Sinks by what the command line names: an address, a file of an engine, an import path."""

from __future__ import annotations

import importlib
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from frontier.errors import FollowError
from frontier.follow.bulk import BulkSink
from frontier.follow.posting import Address
from frontier.follow.tables import DuckDbSink, LanceDbSink
from frontier.follow.webhook import WebhookSink
from ranking.printing import hide_passwords, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.follow.sinks import Sink

_OBJECT: Final = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)")


_ENGINES: Final[dict[str, Callable[..., Sink]]] = {"duckdb": DuckDbSink, "lancedb": LanceDbSink}


class Target(NamedTuple):
    """A sink that is not made yet."""

    key: str
    """Of which its place in the crawl is kept; has no password."""
    shown: str
    make: Callable[[], Sink]


def webhook(url: str) -> Target:
    """Return the target of `--webhook`."""
    address = Address.parse(url)
    return Target(f"webhook {address.url}", address.shown, lambda: WebhookSink(address))


def target_of(to: str, *, tombstones: bool = False) -> Target:
    """Return the target of `--to`; raises FollowError for a text that names none."""
    if "://" in to:
        address = Address.parse(to)
        key = f"bulk {address.shown}"
        return Target(key, address.shown, lambda: BulkSink(address, tombstones=tombstones))
    engine, _, place = to.partition(":")
    if engine in _ENGINES and place:
        path = Path(place).resolve()
        made = partial(_ENGINES[engine], path, tombstones=tombstones)
        return Target(f"{engine}:{path}", to, made)
    own = _OBJECT.fullmatch(to)
    if own is not None and tombstones:
        raise FollowError(f"expected --tombstones with an index, got {to}: it decides by itself")
    if own is not None:
        return Target(to, to, lambda: _own_sink(own[1], own[2]))
    raise FollowError(
        f"expected https://host:9200/index, duckdb:FILE, lancedb:DIR or package.module:Sink, got "
        f"{shown(hide_passwords(to))!r}"
    )


def _own_sink(module: str, name: str) -> Sink:
    try:
        made = getattr(importlib.import_module(module), name)()
    except (ImportError, AttributeError) as error:
        raise FollowError(
            f"{module}:{name} cannot be imported ({error}): expected a class that is made without "
            f"arguments, by a module of the current directory or an installed one."
        ) from error
    missing = [part for part in ("is_new", "send", "close") if not hasattr(made, part)]
    if missing:
        raise FollowError(
            f"{module}:{name} has no {missing[0]}: expected a class as frontier.follow.sinks.Sink "
            f"describes it."
        )
    return cast("Sink", made)
