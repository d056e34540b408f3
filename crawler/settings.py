"""Settings of the focused crawler: polite, quiet, best pages first.

What the frontier itself takes is described in docs/settings.md; the rest are Scrapy's own.
"""

BOT_NAME = "crawler"
SPIDER_MODULES = ["crawler.spiders"]
NEWSPIDER_MODULE = "crawler.spiders"
USER_AGENT = "scrapy-linkrank/0.1 (focused crawler; set USER_AGENT to say whose)"

ADDONS = {"frontier.plugin.LinkRankAddon": 500}
FRONTIER_PROGRESS = True
FRONTIER_SUMMARY = True

# Politeness: one request at a time to a host, and as long a pause as the host took to answer
# (AutoThrottle), never less than a quarter of a second.
ROBOTSTXT_OBEY = True
CONCURRENT_REQUESTS = 16
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 0.25
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 0.25
AUTOTHROTTLE_TARGET_CONCURRENCY = 1.0
DOWNLOAD_TIMEOUT = 60
# Names are resolved in threads: a few that nobody answers for must not keep all others waiting.
REACTOR_THREADPOOL_MAXSIZE = 32
DOWNLOAD_MAXSIZE = 4 * 1024 * 1024

# A request is rather not made than spent on a page that is not among the best: up to a second.
FRONTIER_PATIENCE = 0.01

# Nor does a redirect's target jump the queue: it inherits what spoke for the URL that led to it.
REDIRECT_PRIORITY_ADJUST = 0

# Scrapy starts that many tasks for each page, whatever it yields; ours is one item and its links.
CONCURRENT_ITEMS = 4

# Pages are read, not visited: no sessions, no consoles that listen on a port.
COOKIES_ENABLED = False
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False

LOG_LEVEL = "INFO"
FEED_EXPORT_ENCODING = "utf-8"
