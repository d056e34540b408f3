"""Settings of the ready-made crawl: polite, quiet, best pages first.

A project builds on them with ``from frontier.plugin.focus.settings import *``. docs/settings.md
describes the frontier's settings; the others are Scrapy's.
"""

BOT_NAME = "focus"
USER_AGENT = "scrapy-linkrank/0.1 (focused crawler; set USER_AGENT to say whose)"

ADDONS = {"frontier.plugin.LinkRankAddon": 500}
FRONTIER_PROGRESS = True
FRONTIER_SUMMARY = True
EXTENSIONS = {
    # A crawl that fetched nothing has failed.
    "frontier.plugin.extensions.endings.FailWithoutPages": 0,
    # The limit of pages is exact and does not count robots.txt.
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
# Beyond Scrapy, Crawl-delay and Retry-After are obeyed, and the hosts of one domain share a limit.
FRONTIER_CRAWL_DELAY_CAP = 30
FRONTIER_RETRY_AFTER_CAP = 3600
FRONTIER_DOMAIN_CONCURRENCY = 4
# Hosts in trouble are requested ever more seldom, and given up in the end.
FRONTIER_BACKOFF = 1
FRONTIER_DEAD_AFTER = 8
# A page with a later refresh is a page, and the target of the refresh is a link.
METAREFRESH_MAXDELAY = 10
# Names are resolved in threads: a few that get no answer must not delay all others.
REACTOR_THREADPOOL_MAXSIZE = 32

# A larger or slower page is an error; of a page that breaks off, the beginning is used.
DOWNLOAD_TIMEOUT = 60
DOWNLOAD_MAXSIZE = 4 * 1024 * 1024
DOWNLOAD_FAIL_ON_DATALOSS = False

# Only http and https are fetched.
DOWNLOAD_HANDLERS = {"data": None, "file": None, "ftp": None, "s3": None}

# A page is fetched once, however links spell its URL.
FRONTIER_CANONICAL_URLS = True

# Crawler traps are left: their links are refused, and their other URLs are given up in the end.
FRONTIER_TRAPS = "drop"

# A URL that is not among the best waits up to a second for the hosts of better ones.
FRONTIER_WAIT_FOR_BEST = 1

# A redirect's target does not jump the queue: it inherits the evidence for the redirected URL.
REDIRECT_PRIORITY_ADJUST = 0

# Scrapy starts that many tasks for each page; the spider yields one item a page, and links.
CONCURRENT_ITEMS = 4

# No sessions: only the cookies that a site requires before it shows its pages are sent.
# No consoles that listen on a port.
DOWNLOADER_MIDDLEWARES = {
    # A body is read even if it contradicts its headers.
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
