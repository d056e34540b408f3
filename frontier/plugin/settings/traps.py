"""Settings of how much of an endless place is taken in; docs/traps.md tells how they meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.plugin.settings.declare import PREFIX, Setting, values
from frontier.traps.limits import SETTING_OF, TRAP_LIMITS, TrapLimits

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

LAST, DROP = "last", "drop"

SETTINGS = (
    Setting(
        "FRONTIER_TRAPS",
        LAST,
        "`last` or `drop`",
        "URLs that look like crawler traps. `last`: fetched after all others of their priority, so "
        "that nothing is lost. `drop`: not queued, or dropped when nothing else is left; the "
        "focused crawler of this repository uses it.",
        words=(LAST, DROP),
    ),
    Setting(
        "FRONTIER_MAX_URL_LENGTH",
        TRAP_LIMITS.url_length,
        "characters, 0 for no limit",
        "Links to longer URLs are refused; Scrapy's URLLENGTH_LIMIT has the same default, and the "
        "smaller of the two holds. Honest URLs have a tenth of it.",
    ),
    Setting(
        "FRONTIER_MAX_PATH_DEPTH",
        TRAP_LIMITS.path_depth,
        "parts of a path, 0 for no limit",
        "Links to deeper paths are refused: a relative link that leads below itself goes on for "
        "ever. Twice what recorded sites have.",
    ),
    Setting(
        "FRONTIER_MAX_QUERY_ARGUMENTS",
        TRAP_LIMITS.query_arguments,
        "arguments of a query, 0 for no limit",
        "Links with more are refused: filters that can be combined at will.",
    ),
    Setting(
        "FRONTIER_SHAPE_BUDGET",
        TRAP_LIMITS.shape_budget,
        "pages, 0 for no limit",
        "Pages without new content that a URL pattern (URLs that differ in numbers, names and "
        "values only) may have before its other URLs wait; a page with new content earns ten more. "
        "On recorded sites an honest pattern never needs more than 3.",
    ),
    Setting(
        "FRONTIER_HOST_BUDGET",
        TRAP_LIMITS.host_budget,
        "pages, 0 for no limit",
        "The same for all URL patterns of a host together. On recorded sites an honest host never "
        "needs more than 3.",
    ),
    Setting(
        "FRONTIER_HOST_UNRELATED",
        TRAP_LIMITS.host_unrelated,
        "pages in a row, 0 for no limit",
        "Pages without a relevant one (FRONTIER_RELEVANT) after which a host waits, in a crawl "
        "with a topic: large enough to cross a site for one good page.",
    ),
    Setting(
        "FRONTIER_DOMAIN_HOSTS",
        TRAP_LIMITS.domain_hosts,
        "hosts of a registered domain, 0 for no limit",
        "Hosts without new content that a registered domain may have before its other hosts wait; "
        "each with new content earns three more. Host names cost nothing to make up.",
    ),
)


def limits_from(settings: BaseSettings) -> TrapLimits:
    """Read the settings; raises SettingsError for a value that cannot be used."""
    said = values(settings, SETTINGS)
    limits = {field: said[name.removeprefix(PREFIX).lower()] for field, name in SETTING_OF.items()}
    scrapys = settings.getint("URLLENGTH_LIMIT")
    if scrapys:
        limits["url_length"] = min(limits["url_length"] or scrapys, scrapys)
    return TrapLimits(**limits, drop=said["traps"] == DROP)
