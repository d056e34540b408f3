"""Looking into a crawl, finished or running, without touching it.

Everything shown is either in the store or follows from it by the calls that a resumed crawl makes:
`reader` asks the store in short transactions, `known` rebuilds strategy and scores from the answer,
`view` turns both into reports, `text` writes reports for people. No priority and no score has a
second formula here.
"""

from frontier.inspection.reports import CrawlStats, HostCount, InLink, Reason, TopRow, UrlReport
from frontier.inspection.view import ORDERINGS, STATES, CrawlView

__all__ = [
    "ORDERINGS",
    "STATES",
    "CrawlStats",
    "CrawlView",
    "HostCount",
    "InLink",
    "Reason",
    "TopRow",
    "UrlReport",
]
