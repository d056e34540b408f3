"""The project's spider: the ready-made one, to be changed as a project needs it."""

from frontier.plugin.focus import spider


class FocusedSpider(spider.FocusedSpider):
    """``scrapy crawl focused -a seeds=seeds.txt -a topic="words" -s JOBDIR=crawls/mine``."""
