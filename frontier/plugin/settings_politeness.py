"""Settings of how politely hosts are asked; what the rules are stands in docs/politeness.md."""

from __future__ import annotations

from frontier.plugin.setting import Setting

LIMITS = (
    Setting(
        "FRONTIER_CRAWL_DELAY_CAP",
        30.0,
        "seconds",
        "A longer Crawl-delay of a robots.txt counts as this one: some ask for a day, and would "
        "never be read. 0: none is heeded.",
    ),
    Setting(
        "FRONTIER_RETRY_AFTER_CAP",
        3600.0,
        "seconds",
        "A host that asks with Retry-After to be left alone for longer is asked again after so "
        "long. Others go on meanwhile; a crawl whose last hosts wait, waits with them.",
    ),
    Setting(
        "FRONTIER_BACKOFF",
        1.0,
        "seconds",
        "Pause after the first 429, 503, timeout or failed connection of a host. Each further one "
        "doubles it.",
    ),
    Setting(
        "FRONTIER_BACKOFF_CAP",
        60.0,
        "seconds",
        "The longest pause of a host that does not answer: it may be back any time.",
    ),
    Setting(
        "FRONTIER_SLOWDOWN_CAP",
        30.0,
        "seconds between two requests to a host",
        "The most that refusals and rising latency slow a host down; proper answers shorten it "
        "again by a quarter each.",
    ),
    Setting(
        "FRONTIER_LATENCY_FACTOR",
        3.0,
        "times the usual latency of a host",
        "When a host takes that much longer to answer than it usually does, the pause between two "
        "requests grows by the difference. Pages of one host differ by less. 0: never.",
    ),
    Setting(
        "FRONTIER_DOMAIN_CONCURRENCY",
        4,
        "requests at once",
        "To all hosts of one registered domain together: however many names a domain mints, it is "
        "one domain. 0: no limit.",
    ),
    Setting(
        "FRONTIER_DOMAIN_DELAY",
        0.0,
        "seconds",
        "Pause between two requests to one registered domain; above 0 they go one at a time. Its "
        "hosts have their own pauses already.",
    ),
    Setting(
        "FRONTIER_IP_CONCURRENCY",
        8,
        "requests at once",
        "To all hosts that were reached at one address; not behind a proxy, which hides it. More "
        "than for a domain, since many hosts of a large hoster share one. 0: no limit.",
    ),
    Setting(
        "FRONTIER_IP_DELAY",
        0.0,
        "seconds",
        "Pause between two requests to one address; above 0 they go one at a time.",
    ),
    Setting(
        "FRONTIER_DEAD_AFTER",
        8,
        "failures in a row",
        "A host that never answered is given up after them, and its URLs end as errors without "
        "being tried. So many refusals (429, 503) count alike, twice as many while other hosts "
        "answer. With the pauses between them that is two minutes and the timeouts.",
    ),
    Setting(
        "FRONTIER_DEAD_PATIENCE",
        600.0,
        "seconds",
        "A host that has answered before is given up only if it has failed for so long: it may be "
        "restarting.",
    ),
    Setting(
        "FRONTIER_TRIAL_SHARE",
        0.5,
        "share of CONCURRENT_REQUESTS, 0 to 1",
        "So many of the requests at once may be for hosts that have not answered, or failed the "
        "last time: dead hosts never hold all places.",
    ),
    Setting(
        "FRONTIER_SILENT_SECONDS",
        5.0,
        "seconds",
        "A request that waits longer for its host costs nothing but a socket and does not count "
        "among CONCURRENT_REQUESTS, up to as many again. Not with CONCURRENT_REQUESTS of 1.",
    ),
)
"""Each is a field of `frontier.politeness.Limits`, in capitals."""

SETTINGS = (
    *LIMITS,
    Setting(
        "FRONTIER_REFUSAL_RETRIES",
        5,
        "retries of one URL",
        "A 429 or 503 says nothing about the page, so it is tried again more often than "
        "RETRY_TIMES says, with doubling pauses. Where retries are off, or the request says how "
        "often, that holds.",
    ),
)

SCRAPY = (
    Setting(
        "CONCURRENT_REQUESTS_PER_DOMAIN",
        1,
        "requests at once to a host",
        "Scrapy's default is 8. A server that is asked one by one is never overrun, and a crawl is "
        "quick because it asks many.",
    ),
)
"""Settings of Scrapy's own, with the defaults that the add-on gives them."""
