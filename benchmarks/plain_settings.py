"""The settings of the focused crawler without the frontier."""

from crawler.settings import *  # noqa: F403  # the peer differs in what is named here, nothing else

ADDONS = {}
EXTENSIONS = {}
DOWNLOADER_MIDDLEWARES = {}
COOKIES_ENABLED = False
SPIDER_MODULES = ["benchmarks.plain"]
