"""Several fetchers for one frontier: `python -m benchmarks exchange`.

alone    the exchange without a crawl: two clients, pages that are packed already
served   one crawl with 1, 2 and 4 fetchers, beside the embedded one, on a web of many hosts
harvest  what several fetchers cost the order, on recorded webs with labels
"""
