"""From the bytes of a page to what it says: charset, markup, title, text, links, declarations.

Nothing here knows Scrapy, so that a crawl and a replay of it read a page with the same code.
"""
