"""Settings of this project: those of the ready-made crawl, and its own below.

`make crawl` and `scrapy crawl focused` use them; `scrapy focus` is the ready-made crawl alone.
"""

from frontier.plugin.focus.settings import *  # noqa: F403  # a project built on them

BOT_NAME = "crawler"
SPIDER_MODULES = ["crawler.spiders"]
NEWSPIDER_MODULE = "crawler.spiders"
