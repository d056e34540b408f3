"""Small helpers."""

from __future__ import annotations

import ctypes
import sys
from abc import ABC, abstractmethod
from contextlib import suppress
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, TypeVar

from frontier.errors import SettingsError

if TYPE_CHECKING:
    from collections import OrderedDict
    from collections.abc import Callable
    from types import TracebackType

_Self = TypeVar("_Self", bound="Closing")
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class Closing(ABC):
    """A context manager that closes itself."""

    @abstractmethod
    def close(self) -> None:
        """Release the resources; a second call does nothing."""

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def unix_time(text: str, parse: Callable[[str], datetime] = parsedate_to_datetime) -> float | None:
    """Unix seconds of an HTTP date, None for anything else; a date without a zone is in UTC."""
    try:
        when = parse(text)
        return (when if when.tzinfo else when.replace(tzinfo=timezone.utc)).timestamp()
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def give_memory_back() -> None:
    """Return freed memory to the system; glibc keeps much of it otherwise."""
    if sys.platform == "linux":
        with suppress(AttributeError):  # another C library
            ctypes.CDLL(None).malloc_trim(0)


def within(name: str, value: float, low: float, high: float) -> None:
    """Raise SettingsError, which names the setting, for a value outside [low, high]."""
    if not low <= value <= high:
        raise SettingsError(
            f"{name} must lie between {low:g} and {high:g}, but is {value!r}. "
            f"Set it to a value in that range, or leave it out for the default."
        )


def lately_seen(
    table: OrderedDict[_Key, _Value], key: _Key, new: Callable[[], _Value], most: int
) -> _Value:
    """The value of a key in a table of the keys used last, a new value for a new key.

    Of more than `most` keys the one not used for longest is dropped.
    """
    value = table.get(key)
    if value is None:
        value = table[key] = new()
        if len(table) > most:
            table.popitem(last=False)
    table.move_to_end(key)
    return value
