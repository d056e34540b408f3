"""A crawl as a file of other programs: its nodes with scores and states, its edges with texts.

`crawled` keeps the numbers of all URLs as a few arrays and reads everything else from the store in
portions; tables are written row by row, and only networkx (GraphML, GEXF) holds the graph as
objects.
"""

from frontier.export.formats import FORMATS, SUFFIXES, Written, export_crawl, format_of, write_links

__all__ = ["FORMATS", "SUFFIXES", "Written", "export_crawl", "format_of", "write_links"]
