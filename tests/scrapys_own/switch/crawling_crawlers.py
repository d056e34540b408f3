"""A pytest plugin: crawlers that a test makes without a crawl count as crawling.

The add-on leaves `scrapy shell` alone, which has no crawl either. Scrapy's tests apply the settings
of a crawler before they crawl, or look at its parts without crawling at all.
"""

import warnings

from scrapy.crawler import Crawler

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    # Frontera imports w3lib.util, and the warnings of these tests are errors.
    import frontier.plugin.crawl.session  # noqa: F401

_apply = Crawler._apply_settings


def _applied(crawler):
    before, crawler.crawling = crawler.crawling, True
    try:
        _apply(crawler)
    finally:
        crawler.crawling = before


Crawler._apply_settings = _applied
