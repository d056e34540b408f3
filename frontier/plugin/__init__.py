"""The part of the frontier that runs inside Scrapy, and the only one that imports it.

`LinkRankAddon` plugs it into a project; `page_of` gives a spider the frontier's knowledge of a
page; a spider yields `Links` to follow links without a Request for each.

The names are loaded on first use, so that the commands below this package start quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from scrapy_linkrank import require_own, warn_of_hidden

if TYPE_CHECKING:
    from frontier.plugin.addon import LinkRankAddon
    from frontier.plugin.crawl.open_page import Links
    from frontier.plugin.crawl.session import page_of

__all__ = ["LinkRankAddon", "Links", "page_of"]

_HOMES = {
    "LinkRankAddon": "frontier.plugin.addon",
    "Links": "frontier.plugin.crawl.open_page",
    "page_of": "frontier.plugin.crawl.session",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    require_own("ranking")
    warn_of_hidden()
    value = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return value
