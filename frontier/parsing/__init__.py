"""From the bytes of a page to its content: charset, markup, title, text, links, declarations.

Nothing here imports Scrapy, so that a crawl and a replay read a page with the same code.
"""
