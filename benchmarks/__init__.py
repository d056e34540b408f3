"""Figures that are measured against a peer in the same run: `python -m benchmarks`.

throughput   the focused crawl beside plain Scrapy, on the same pages from the same server
backend      the Frontera backend at a million URLs beside Frontera's memory backend
resume       from the start of a process to its first request, beside a fresh plain Scrapy
ranking      the link analysis beside the libraries one would pick instead; only when asked for
harvest      crawl orders on the recorded webs, beside the targets; only when asked for
outside      crawlers with a command line on the same pages; only when asked for
cost         CPU a page of ordering and judging, by known URLs; only when asked for

Seconds depend on the machine and on what else it does, ratios of alternating runs hardly do; so
every figure is a ratio or stands beside the peer's. This process imports nothing large: the peak
memory that the kernel reports of a child is never below what its parent held when it was started.
"""
