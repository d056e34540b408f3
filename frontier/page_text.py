"""What rules ask of a page's visible text, wherever the text is.

Duplicates and traps need numbers of a text, not the text. They name the function that makes them,
and get what it makes: at once where the page was read in this process; where another process read
it, what that one made with the same function and sent along.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_T = TypeVar("_T")


class VisibleText:
    """A page's visible text, or what was made of it elsewhere."""

    __slots__ = ("_made", "_text")

    def __init__(
        self, text: str | None, made: Mapping[Callable[[str], Any], object] | None = None
    ) -> None:
        """Stand for a text.

        Args:
            text: all of it; where `made` is given its beginning, None if that was not sent.
            made: of a text that another process read, what each function made of it.

        """
        self._text = text
        self._made = made

    def derived(self, make: Callable[[str], _T]) -> _T:
        """Return what a pure function makes of the whole text.

        Raises KeyError for a function whose result did not come along.
        """
        if self._made is None:
            assert self._text is not None, "what was read here is there"
            return make(self._text)
        return self._made[make]  # type: ignore[return-value]  # by the function that made it

    def beginning(self, letters: int) -> str | None:
        """Return so many characters at most; None where they did not come along."""
        return None if self._text is None else self._text[:letters]
