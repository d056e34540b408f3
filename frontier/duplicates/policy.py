"""What counts as a duplicate, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

from frontier.errors import SettingsError

OFF = 0.0
"""Similarity that turns all of it off."""
LOWEST = 0.7
"""Least Jaccard similarity that can be asked for: bands of 8 find few pairs that are less alike."""


@dataclass(frozen=True)
class DuplicatePolicy:
    """Settings of duplicate pages; `docs/duplicates.md` tells what they do.

    Attributes:
        similarity: Jaccard similarity of shingles from which a page is a near-duplicate, LOWEST to
            1; OFF: no page is a duplicate, an exact copy neither.
        remembered: pages that later ones are held against, 1 or more.

    """

    similarity: float = 0.8
    remembered: int = 200_000

    def __post_init__(self) -> None:
        if not (LOWEST <= self.similarity <= 1 or self.similarity == OFF):
            raise SettingsError(
                f"FRONTIER_DUPLICATE_SIMILARITY must lie between {LOWEST:g} and 1, but is "
                f"{self.similarity!r}. Set it to a value in that range, to {OFF:g} to take no page "
                "for a duplicate, or leave it out for the default."
            )
        if not 1 <= self.remembered <= 10**8:
            raise SettingsError(
                f"FRONTIER_DUPLICATE_PAGES must lie between 1 and 100000000, but is "
                f"{self.remembered!r}. Set it to a value in that range, or leave it out for the "
                "default."
            )

    @property
    def enabled(self) -> bool:
        """Whether pages are held against each other at all."""
        return self.similarity != OFF


DUPLICATES = DuplicatePolicy()
"""That of a crawl that sets none."""
