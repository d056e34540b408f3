"""What one setting is, and how its number is read. The rows themselves are declared by area:
settings.py, settings_*.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frontier.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.settings import BaseSettings


@dataclass(frozen=True)
class Setting:
    """One row of docs/settings.md."""

    name: str
    default: object
    unit: str
    reason: str


def number(settings: BaseSettings, name: str, kind: Callable[[Any], Any], default: object) -> Any:
    """Read a setting as `int` or `float`; raises SettingsError for what is no such number."""
    value = settings.get(name, default)
    try:
        return kind(value)
    except (TypeError, ValueError, OverflowError):
        wanted = "a whole number" if kind is int else "a number"
        raise SettingsError(
            f"{name} must be {wanted}, but is {value!r}. Correct it, or leave it out for the "
            f"default {default}."
        ) from None


def number_between(
    settings: BaseSettings, name: str, bounds: tuple[float, float], default: object
) -> float:
    """Read a setting that lies between two bounds, both included; raises SettingsError."""
    (low, high), given = bounds, settings.get(name, default)
    try:
        value = float(given)
    except (TypeError, ValueError):
        value = float("nan")
    if not low <= value <= high:
        raise SettingsError(
            f"{name} must be a number between {low:g} and {high:g}, but is {given!r}. Correct it, "
            f"or leave it out for the default {default}."
        )
    return value
