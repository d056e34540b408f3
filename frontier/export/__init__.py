"""A crawl as a file of other programs: its nodes with scores and states, its edges with texts.

`crawled` takes what only the whole crawl can tell (a few arrays) and reads the rest from the store
in portions, and each format writes row by row; so no crawl is ever in memory as objects.
"""

from frontier.export.formats import FORMATS, RAW_CSV, SUFFIXES, Written, export_crawl, format_of

__all__ = ["FORMATS", "RAW_CSV", "SUFFIXES", "Written", "export_crawl", "format_of"]
