"""Numbers that somebody set, held to their ranges."""

from __future__ import annotations

from frontier.errors import SettingsError


def within(name: str, value: float, low: float, high: float) -> None:
    """Raise SettingsError, which names the setting, for a value outside [low, high]."""
    if not low <= value <= high:
        raise SettingsError(
            f"{name} must lie between {low:g} and {high:g}, but is {value!r}. "
            f"Set it to a value in that range, or leave it out for the default."
        )
