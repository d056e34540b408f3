"""Settings of what is not to be trusted."""

from __future__ import annotations

from frontier.plugin.settings.declare import Setting

SETTINGS = (
    Setting(
        "FRONTIER_DISTRUST",
        "",
        "file of URLs and hosts, one a line",
        "A file of bad URLs (with all that begin like them) and hosts (with all below them). They "
        "are not fetched, pages that link to them are down-weighted (Anti-TrustRank), and what "
        "only such pages link to comes last, see docs/spam.md. A crawl keeps the file it was "
        "started with. Empty: off.",
    ),
)
