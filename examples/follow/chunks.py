"""Texts of pages in pieces of some hundred words, as a search by meaning needs them.

An event has all of its page, so its pieces replace those that are there: of a page that came out
shorter, or is gone, none is left over.
"""

import os
import sqlite3
from pathlib import Path

WORDS = 200


def pieces(text, size=WORDS):
    words = text.split()
    return [" ".join(words[at : at + size]) for at in range(0, len(words), size)]


class Chunks:
    """A sink for `scrapy frontier follow DIR --to chunks:Chunks`."""

    def __init__(self, path=None):
        path = path or os.environ.get("CHUNKS", "chunks.sqlite")
        self.is_new = not Path(path).exists()
        self.db = sqlite3.connect(path)
        self.db.execute("CREATE TABLE IF NOT EXISTS chunks (page, number, url, text)")
        self.db.execute("CREATE INDEX IF NOT EXISTS of_page ON chunks (page)")

    def send(self, events):
        with self.db:  # one transaction: all of it, or nothing
            for event in events:
                self.db.execute("DELETE FROM chunks WHERE page = ?", (event.id,))
                rows = [
                    (event.id, number, event.url, text)
                    for number, text in enumerate(pieces(event.text or ""))
                ]
                self.db.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?)", rows)

    def close(self):
        self.db.close()
