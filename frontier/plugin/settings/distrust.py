"""Settings of what is not to be trusted."""

from __future__ import annotations

from frontier.plugin.settings.declare import Setting

SETTINGS = (
    Setting(
        "FRONTIER_DISTRUST",
        "",
        "file of URLs and hosts, one a line",
        "What is marked bad: URLs with all that begins like them, hosts with all under them. They "
        "are not fetched, pages that link to them vouch for nobody, and what such pages alone lead "
        "to comes last, see docs/spam.md. A crawl keeps the file it was started with. Empty: "
        "nothing is bad.",
    ),
)
