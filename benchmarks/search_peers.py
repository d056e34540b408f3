"""Text search by others, in an environment of its own: `search_peers bm25s|tantivy FILE`.

FILE is JSON, {"texts": [...], "queries": [...]}; the last line printed is JSON: `found`, numbers of
the best ten texts of each query, and the `milliseconds` of one.
"""

import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

BEST = 10


def bm25s(texts: list[str]) -> Callable[[str], list[int]]:
    """As its README has it: English stop words, no stemmer."""
    import bm25s as peer

    searcher = peer.BM25()
    searcher.index(peer.tokenize(texts, stopwords="en", show_progress=False), show_progress=False)

    def find(query: str) -> list[int]:
        words = peer.tokenize(query, stopwords="en", show_progress=False)
        return [int(one) for one in searcher.retrieve(words, k=BEST, show_progress=False)[0][0]]

    return find


def tantivy(texts: list[str]) -> Callable[[str], list[int]]:
    """With its default tokenizer: small letters, no stemmer, no stop words."""
    import tantivy as peer

    builder = peer.SchemaBuilder()
    builder.add_text_field("text").add_integer_field("number", stored=True)
    index = peer.Index(builder.build())
    writer = index.writer()
    for number, text in enumerate(texts):
        writer.add_document(peer.Document(text=text, number=number))
    writer.commit()
    index.reload()
    searcher = index.searcher()

    def find(query: str) -> list[int]:
        words = index.parse_query(" ".join(re.findall(r"\w+", query.lower())), ["text"])
        return [searcher.doc(at)["number"][0] for _, at in searcher.search(words, BEST).hits]

    return find


if __name__ == "__main__":
    given = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    find = {"bm25s": bm25s, "tantivy": tantivy}[sys.argv[1]](given["texts"])
    began = time.perf_counter()
    found = [find(query) for query in given["queries"]]
    each = 1000 * (time.perf_counter() - began) / len(found)
    print(json.dumps({"found": found, "milliseconds": each}))
