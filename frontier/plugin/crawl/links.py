"""What a spider may yield instead of one Request a link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frontier.parsing.html import Link


@dataclass(frozen=True, slots=True)
class Links:
    """Follow these links with the spider's `parse`, anchor and context included.

    A Request object a link costs more than all else that happens to a link, and says nothing a
    link does not say. Links are subject to DEPTH_LIMIT and URLLENGTH_LIMIT; other spider
    middlewares see one `Links` object and pass it on as they would an item.
    """

    links: tuple[Link, ...]
