"""Texts of pages, compressed, in the file `texts.sqlite` beside the store (FRONTIER_TEXT).

`TextWriter` adds texts as the store commits their pages, `TextReader` gives those of pages.
"""

from frontier.texts.page_text import ALL, MAIN, OFF, PackedText, StoredText
from frontier.texts.reader import TextReader
from frontier.texts.writer import TextWriter

__all__ = ["ALL", "MAIN", "OFF", "PackedText", "StoredText", "TextReader", "TextWriter"]
