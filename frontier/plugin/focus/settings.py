"""Settings of the ready-made crawl: polite, quiet, best pages first.

A project builds on them with ``from frontier.plugin.focus.settings import *``. What the frontier
itself takes is described in docs/settings.md; the rest are Scrapy's own.
"""

BOT_NAME = "focus"
USER_AGENT = "scrapy-linkrank/0.1 (focused crawler; set USER_AGENT to say whose)"

ADDONS = {"frontier.plugin.LinkRankAddon": 500}
FRONTIER_PROGRESS = True
FRONTIER_SUMMARY = True
EXTENSIONS = {
    # A crawl that fetched nothing has failed.
    "frontier.plugin.extensions.endings.FailWithoutPages": 0,
    # As many pages as were asked for, robots.txt not counted.
    "scrapy.extensions.closespider.CloseSpider": None,
    "frontier.plugin.extensions.endings.CloseAtLimit": 0,
}

# Politeness: one request at a time to a host, and as long a pause as the host took to answer
# (AutoThrottle), never less than a quarter of a second.
ROBOTSTXT_OBEY = True
FRONTIER_ROBOTS_UNREACHABLE = "disallow"
CONCURRENT_REQUESTS = 16
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 0.25
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 0.25
AUTOTHROTTLE_TARGET_CONCURRENCY = 1.0
# What hosts ask for is heeded, beyond what Scrapy heeds, and many names of one owner are one host.
FRONTIER_CRAWL_DELAY_CAP = 30
FRONTIER_RETRY_AFTER_CAP = 3600
FRONTIER_DOMAIN_CONCURRENCY = 4
# Hosts in trouble are asked ever more seldom, and given up in the end.
FRONTIER_BACKOFF = 1
FRONTIER_DEAD_AFTER = 8
# A page that sends its readers elsewhere later than that is a page, and the other one its link.
METAREFRESH_MAXDELAY = 10
# Names are resolved in threads: a few that nobody answers for must not keep all others waiting.
REACTOR_THREADPOOL_MAXSIZE = 32

# A page that is longer or takes longer is an error; of one that breaks off, what came is used.
DOWNLOAD_TIMEOUT = 60
DOWNLOAD_MAXSIZE = 4 * 1024 * 1024
DOWNLOAD_FAIL_ON_DATALOSS = False

# Nothing but the web is read, whoever asks.
DOWNLOAD_HANDLERS = {"data": None, "file": None, "ftp": None, "s3": None}

# One page is fetched once, however links spell its address.
FRONTIER_CANONICAL_URLS = True

# Places without end are left: links that only they have are refused, and what is left of them is
# given up in the end.
FRONTIER_TRAPS = "drop"

# A request is rather not made than spent on a page that is not among the best: up to a second.
FRONTIER_WAIT_FOR_BEST = 1

# Nor does a redirect's target jump the queue: it inherits what spoke for the URL that led to it.
REDIRECT_PRIORITY_ADJUST = 0

# Scrapy starts that many tasks for each page, whatever it yields; ours is one item and its links.
CONCURRENT_ITEMS = 4

# Pages are read, not visited: no sessions, and of cookies only those that a site asks for before
# it shows its pages. No consoles that listen on a port.
DOWNLOADER_MIDDLEWARES = {
    # A body is read although its headers say what it is not.
    "scrapy.downloadermiddlewares.httpcompression.HttpCompressionMiddleware": None,
    "frontier.plugin.focus.bodies.BodyMiddleware": 590,
    "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
    "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
    "frontier.plugin.focus.gates.GateCookies": 700,
    "frontier.plugin.focus.gates.GateRedirects": 600,
    "frontier.plugin.focus.gates.GateRefreshes": 580,
}
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False

LOG_LEVEL = "INFO"
FEED_EXPORT_ENCODING = "utf-8"
