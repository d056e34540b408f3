"""Looking into a crawl, finished or running, without touching it.

Everything shown is in the store or follows from it by the calls that a resumed crawl makes
(`resumed`): no priority and no score has a second formula here. `view` makes reports of it, `text`
writes them for people.
"""

from frontier.inspection.view import CrawlView

__all__ = ["CrawlView"]
