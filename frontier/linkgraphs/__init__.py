"""Link graphs of URLs that were fetched before: from WARC files, or from a crawl's directory.

`ranking` ranks arrays and knows no URL; here is what lies between: pages read as the crawler reads
them, URLs as its canonical URLs, hosts of URLs, and files that say something about URLs.
"""

from frontier.linkgraphs.task import RankTask, check_task, rank_urls
from frontier.linkgraphs.urlgraph import UrlGraph, crawl_graph
from frontier.linkgraphs.warcgraph import Reading, warc_graph

__all__ = [
    "RankTask",
    "Reading",
    "UrlGraph",
    "check_task",
    "crawl_graph",
    "rank_urls",
    "warc_graph",
]
