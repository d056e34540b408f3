"""Looking into a crawl, finished or running, without touching it.

Every value is in the store or follows from it by the calls of a resumed crawl (`resumed`): no
priority and no score has a second formula here. `view` makes records of the values, and `rendering`
writes any record for people. A crawl that only formats a number loads none of these modules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from frontier.inspection.view import CrawlView

__all__ = ["CrawlView"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from frontier.inspection.view import CrawlView

    return CrawlView
