"""A crawl as a file of other programs: its nodes with scores and states, its edges with texts.

`crawled` takes what only the whole crawl can tell (a few arrays) and reads the rest from the store
in portions, and tables are written row by row; only networkx (GraphML, GEXF) holds it as objects.
"""

from frontier.export.formats import FORMATS, SUFFIXES, Written, export_crawl, format_of, write_links

__all__ = ["FORMATS", "SUFFIXES", "Written", "export_crawl", "format_of", "write_links"]
