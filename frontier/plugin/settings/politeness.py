"""Settings of how politely hosts are asked; what the rules are stands in docs/politeness.md.

The defaults ask nothing of a host beyond what a project's own settings say, so that a project which
plugs the frontier in takes the time it took. `crawler/settings.py` sets those of a polite crawl.
"""

from __future__ import annotations

from frontier.plugin.settings.declare import Setting

LIMITS = (
    Setting(
        "FRONTIER_CRAWL_DELAY_CAP",
        0.0,
        "seconds",
        "A longer Crawl-delay of a robots.txt counts as this one: some ask for a day, and would "
        "never be read. 0: none is heeded, as in Scrapy. The focused crawler of this repository "
        "uses 30.",
    ),
    Setting(
        "FRONTIER_RETRY_AFTER_CAP",
        0.0,
        "seconds",
        "A host that asks with Retry-After to be left alone for longer is asked again after so "
        "long. Others go on meanwhile; a crawl whose last hosts wait, waits with them. 0: it is "
        "not heeded, as in Scrapy. The focused crawler uses 3600.",
    ),
    Setting(
        "FRONTIER_BACKOFF",
        0.0,
        "seconds",
        "Delay after the first 429, 503, timeout or failed connection of a host; each further one "
        "doubles it. 0: none. The focused crawler uses 1.",
    ),
    Setting(
        "FRONTIER_BACKOFF_CAP",
        60.0,
        "seconds",
        "Longest such delay of a host that does not respond.",
    ),
    Setting(
        "FRONTIER_SLOWDOWN_CAP",
        30.0,
        "seconds between two requests to a host",
        "Longest delay that refusals and rising latency lead to; each good response shortens it by "
        "a quarter.",
    ),
    Setting(
        "FRONTIER_LATENCY_FACTOR",
        0.0,
        "times the usual latency of a host",
        "When a host takes that much longer to answer than it usually does, the pause between two "
        "requests grows by the difference. Pages of one host differ by less than 3, which the "
        "focused crawler uses. 0: never; AutoThrottle is Scrapy's way.",
    ),
    Setting(
        "FRONTIER_DOMAIN_CONCURRENCY",
        0,
        "requests at once",
        "Concurrent requests to all hosts of one registered domain together. 0: no limit beyond "
        "Scrapy's, which counts hosts. The focused crawler uses 4.",
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
        0,
        "requests at once",
        "Concurrent requests to all hosts at one IP address; not behind a proxy, which hides it. "
        "0: no limit. The focused crawler uses 8.",
    ),
    Setting(
        "FRONTIER_IP_DELAY",
        0.0,
        "seconds",
        "Pause between two requests to one address; above 0 they go one at a time.",
    ),
    Setting(
        "FRONTIER_DEAD_AFTER",
        0,
        "failures in a row",
        "Failures after which a host that never responded is given up, and its URLs end as errors. "
        "So many refusals (429, 503) count alike, twice as many while other hosts respond. 0: "
        "never, each URL is tried as often as RETRY_TIMES says. The focused crawler uses 8.",
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
        1.0,
        "share of CONCURRENT_REQUESTS, 0 to 1",
        "Share of the concurrent requests that may go to hosts that have not responded yet, or "
        "failed the last time: below 1 dead hosts never hold all places. The focused crawler uses "
        "0.5.",
    ),
    Setting(
        "FRONTIER_SILENT_SECONDS",
        0.0,
        "seconds",
        "A request that waits longer for its host costs nothing but a socket and does not count "
        "among CONCURRENT_REQUESTS, up to as many again; neither do those for robots.txt. Not with "
        "CONCURRENT_REQUESTS of 1. 0: all count, as in Scrapy. The focused crawler uses 5.",
    ),
)
"""Each is a field of `frontier.politeness.Limits`, in capitals."""

SETTINGS = (
    *LIMITS,
    Setting(
        "FRONTIER_REFUSAL_RETRIES",
        0,
        "retries of one URL",
        "A 429 or 503 says nothing about the page, so it may be tried again more often than "
        "RETRY_TIMES says, with doubling pauses. Where retries are off, or the request says how "
        "often, that holds. Up to RETRY_TIMES: it has no effect. The focused crawler uses 5.",
    ),
)
