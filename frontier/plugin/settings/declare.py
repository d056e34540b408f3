"""What one setting is, and how its value is read. The rows themselves are declared by area, in the
other modules of this folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frontier.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scrapy.settings import BaseSettings

PREFIX = "FRONTIER_"


@dataclass(frozen=True)
class Setting:
    """One row of docs/settings.md; of which type its value is, the default tells."""

    name: str
    default: object
    unit: str
    reason: str
    bounds: tuple[float, float] | None = None
    """Of a number, both included; None: whoever gets the value knows them."""
    words: tuple[str, ...] = ()
    """All that it may be, in any case of letters; empty: any text."""

    def read(self, settings: BaseSettings) -> Any:
        """Return its value, a bool, number, text or list; SettingsError for what is none."""
        given: Any = settings.get(self.name, self.default)
        if isinstance(self.default, bool):
            usual = self.default
            return self._checked(lambda: settings.getbool(self.name, usual), given, "true or false")
        if isinstance(self.default, tuple):
            return settings.getlist(self.name, list(self.default))
        if isinstance(self.default, str):
            return self._word(str(given or self.default).strip())
        kind = int if isinstance(self.default, int) else float
        if self.bounds is None:
            wanted = "a whole number" if kind is int else "a number"
            return self._checked(lambda: kind(given), given, wanted)
        return kind(self._between(given, *self.bounds))

    def _between(self, given: Any, low: float, high: float) -> float:
        wanted = f"a number between {low:g} and {high:g}"
        value: float = self._checked(lambda: float(given), given, wanted)
        if not low <= value <= high:
            raise self._wrong(given, wanted)
        return value

    def _word(self, given: str) -> str:
        if not self.words:
            return given
        if given.lower() not in self.words:
            raise self._wrong(given, " or ".join(map(repr, self.words)))
        return given.lower()

    def _checked(self, read: Callable[[], Any], given: object, wanted: str) -> Any:
        try:
            return read()
        except (TypeError, ValueError, OverflowError):
            raise self._wrong(given, wanted) from None

    def _wrong(self, given: object, wanted: str) -> SettingsError:
        return SettingsError(
            f"{self.name} must be {wanted}, but is {given!r}. Correct it, or leave it out for the "
            f"default {self.default}."
        )


def values(settings: BaseSettings, declared: Iterable[Setting]) -> dict[str, Any]:
    """Return the values of settings by their names in small letters, without FRONTIER_."""
    return {one.name.removeprefix(PREFIX).lower(): one.read(settings) for one in declared}
