"""What is promised of a crawl, measured beside a peer in the same run: `python -m benchmarks`.

throughput   the focused crawl beside plain Scrapy, on the same pages from the same server
realpages    CPU of a crawl of recorded pages beside Scrapy's CrawlSpider and LinkExtractor
reading      a large page from bytes to words and links, beside lxml and LinkExtractor
ordering     the ordering side alone, by the length of its turns
large        memory of 5 million known URLs, and the time to resume a crawl of 10 million
exchange     several fetchers for one frontier; only when asked for, as all that follow
guests       other people's spiders with the one line and without
watch        a crawl that is watched in a browser, and what watches it
ranking      the link analysis beside the libraries one would pick instead
harvest      crawl orders on the recorded webs, beside the targets
outside      crawlers with a command line on the same pages

Seconds depend on the machine and on what else it does, ratios of alternating runs hardly do; so
every figure is a ratio or stands beside the peer's, where there is one. A figure with a bound is a
promise, and one that is missed ends the run with exit code 1. This process imports nothing large:
the peak memory that the kernel reports of a child is never below what its parent held when it was
started.
"""
