"""Settings of what pages ask of crawlers and say of their own address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.pagerules.policy import DISCOVER, NOFOLLOW_WAYS, PagePolicy
from frontier.plugin.settings.declare import Setting, values
from frontier.robots.user_agent import product_token

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

SETTINGS = (
    Setting(
        "FRONTIER_ROBOTS_META",
        True,
        "true or false",
        "Robots meta elements and X-Robots-Tag headers, for all crawlers or for the one that "
        "USER_AGENT names, are heeded: `noindex` pages are not exported, the links of `nofollow` "
        "pages are not followed. Off: they are not read. See docs/page-rules.md.",
    ),
    Setting(
        "FRONTIER_NOFOLLOW",
        DISCOVER,
        "one of " + ", ".join(f"`{name}`" for name in NOFOLLOW_WAYS),
        "Links with rel=nofollow, ugc or sponsored. "
        + "; ".join(f"`{name}`: {meaning}" for name, meaning in NOFOLLOW_WAYS.items())
        + ".",
        words=tuple(NOFOLLOW_WAYS),
    ),
    Setting(
        "FRONTIER_NOFOLLOW_REQUESTS",
        False,
        "true or false",
        "On: where a page or a link says nofollow and that is heeded, requests that a callback "
        "yields for such a link are dropped too, and redirects with such an X-Robots-Tag are not "
        "followed. Off: it is about links that the frontier follows itself (`Links`), and a "
        "spider's own requests are fetched as they are without the frontier.",
    ),
    Setting(
        "FRONTIER_CANONICAL",
        True,
        "true or false",
        "A page that names another address of its host as canonical is merged with it, as a "
        "redirect is; one that names another host, once that page confirms it. Off: every "
        "address stands for itself.",
    ),
)


def policy_from(settings: BaseSettings) -> PagePolicy:
    """Read the settings; raises SettingsError for a value that cannot be used."""
    user_agent = settings.get("ROBOTSTXT_USER_AGENT") or settings.get("USER_AGENT") or ""
    said = values(settings, SETTINGS)
    return PagePolicy(
        token=product_token(str(user_agent)),
        robots_meta=said["robots_meta"],
        canonical=said["canonical"],
        binds_requests=said["nofollow_requests"],
        nofollow=said["nofollow"],
    )
