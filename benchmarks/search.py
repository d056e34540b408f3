"""`scrapy frontier search` beside bm25s and tantivy: `python -m benchmarks search`.

Quality: known pages of recorded webs are looked for by words that name them (`known_items`), by
text alone, then with one part after the other. All get the same pages. Weights may be chosen on the
development half of the queries of `docs`; each promise is about the other half, and about all of
`wikispeedia`. Cost: CPU of a crawl with FRONTIER_INDEX and without, in turns.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
from scipy.sparse import csr_array

from benchmarks.children import ROOT, BenchmarkError, run_module, serving
from benchmarks.crawls import OURS, crawl, items_of
from benchmarks.known_items import KnownItems, Query, known_items
from benchmarks.ranking.command import install_peers
from benchmarks.ranking.problems import CACHE
from benchmarks.report import AT_LEAST, AT_MOST, Figure, aligned, tell
from frontier.search import answers
from frontier.search.answers import WEIGHTS, search_in
from frontier.search.index import FIELDS, IndexedPage, PageNumbers, SearchIndex
from frontier.search.syncing import merged
from frontier.search.words import parsed_query
from frontier.urls.domains import registered_domain
from ranking import graph_of, pagerank
from ranking.topics import load_topic_model
from ranking.topics.judging import PageText

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WEBS = ROOT.parent / "shared/webs"
DEVELOPED = "docs"
TOPICS = {DEVELOPED: "databases and queries", "wikispeedia": "history of Europe"}
"""Of a crawl whose searches are about anything: what its relevance does to them."""
PEERS = ("bm25s", "tantivy")
REQUIREMENTS = Path(__file__).resolve().parent / "search_peers.txt"
ALONE, ALL = "text alone", "as it is set"
PARTS = {
    "fields": ("text", "title", "url"),
    "+ link text": ("links",),
    "+ authority": ("authority",),
    "+ relevance": ("relevance",),
}
"""What is searched by, each with all before it; text alone is title and text in one field."""
VECTORS = "+ vectors, .1"
"""A part that is off; it takes longer than all others, so only with --vectors."""
_TIMED = 100
_BEST = 10


def indexed(items: KnownItems, folder: Path, topic: str, *, one_field: bool) -> SearchIndex:
    """An index of the pages; all that ranking may use is in it, unless it is of `one_field`."""
    folder.mkdir()
    index = SearchIndex.open(folder, write=True)
    pages = [
        IndexedPage(number, one.url, "", f"{one.title}\n{one.text}")
        if one_field
        else IndexedPage(number, *one)
        for number, one in enumerate(items.pages)
    ]
    for at in range(0, len(pages), 128):
        index.add(pages[at : at + 128])
    if one_field:
        return index
    domains = [registered_domain(urlsplit(page.url).netloc) for page in items.pages]
    index.set_links(dict(merged((to, domains[source], said) for source, to, said in items.links)))
    n = len(pages)
    sources, targets = np.array([link[:2] for link in items.links]).T
    links = csr_array((np.ones(len(sources)), (sources, targets)), shape=(n, n))
    shares = np.argsort(np.argsort(pagerank(graph_of(links)).scores, kind="stable")) / (n - 1)
    model = load_topic_model("ranking.topics.tfidf.TfidfTopic")
    model.fit(topic, [])
    judged = [model.judge(PageText(page.text, page.title)).relevance for page in items.pages]
    numbers = zip(shares.tolist(), map(float, judged), strict=True)
    index.set_numbers({at: PageNumbers(*one, None) for at, one in enumerate(numbers)})
    return index


Parts = list[tuple[int, dict[str, float]]]
"""Of the candidates of a query the id, and the parts of its score, each of weight 1."""


def by_us(index: SearchIndex, queries: Sequence[Query], *fields: str) -> list[Parts]:
    """Rank the candidates of each query once, by all parts or by some fields."""
    even = {name: float(name in (fields or WEIGHTS)) for name in WEIGHTS}
    asked = (answers._ranked(index, parsed_query(query.words), even) for query in queries)
    return [[(one.url_id, one.parts) for one in found] for found in asked]


def ordered(found: Parts, weights: Mapping[str, float]) -> list[int]:
    """The best ten by other weights, as `frontier.search.answers` adds them up."""
    words = [sum(weights[name] * parts.get(name, 0.0) for name in FIELDS) for _, parts in found]
    best = max(words, default=0.0) or 1.0
    more = [name for name in WEIGHTS if name not in FIELDS]
    scores = [
        said / best + sum(weights[name] * parts.get(name, 0.0) for name in more)
        for said, (_, parts) in zip(words, found, strict=True)
    ]
    places = sorted(range(len(found)), key=lambda at: (-scores[at], found[at][0]))
    return [found[at][0] for at in places[:_BEST]]


def quality(
    web: str, most: int, folder: Path, given: Mapping[str, float], *, vectors: bool
) -> list[Figure]:
    """Search a web by each and by all; prints the table."""
    items = known_items(WEBS / f"{web}.warc.gz", most)
    queries = [query for kind in items.queries.values() for query in kind]
    file = folder / "texts.json"
    texts = [f"{page.title}\n{page.text}" for page in items.pages]
    file.write_text(json.dumps({"texts": texts, "queries": [query.words for query in queries]}))
    python = str(CACHE / "search-peers" / "bin" / "python")
    rows, took = {}, {}
    for peer in PEERS:
        told = peer, str(file)
        came = run_module("benchmarks.search_peers", told, folder / "log", 1200, python)
        rows[peer], took[peer] = came["found"], came["milliseconds"]
    weights = {**WEIGHTS, **given}
    with indexed(items, folder / "one", "", one_field=True) as index:
        rows[ALONE] = [ordered(one, WEIGHTS) for one in by_us(index, queries, "text")]
    with indexed(items, folder / "all", TOPICS[web], one_field=False) as index:
        wanted = [name for name in WEIGHTS if name != "similarity" or weights[name]]
        found, used = by_us(index, queries, *wanted), dict.fromkeys(WEIGHTS, 0.0)
        for name, parts in PARTS.items():
            used |= {part: weights[part] for part in parts}
            rows[name] = [ordered(one, used) for one in found]
        rows[ALL] = [ordered(one, weights) for one in found]
        if vectors:
            used["similarity"] = 0.1
            rows[VECTORS] = [ordered(one, used) for one in by_us(index, queries)]
        began = time.perf_counter()
        for query in queries[:_TIMED]:
            search_in(index, query.words, _BEST, weights)
        each = 1000 * (time.perf_counter() - began) / len(queries[:_TIMED])
        path = index.path
    files = sum(file.stat().st_size for file in path.iterdir())
    size = files / sum(len(one.text.encode()) for one in items.pages)
    return [
        *_told(web, items, rows),
        Figure(f"{web}: index by text", "B/B", size, None, AT_MOST, 0.95, on_ratio=False),
        Figure(f"{web}: a query", "ms", each, took["tantivy"]),
    ]


def _told(web: str, items: KnownItems, rows: Mapping[str, Sequence[Any]]) -> list[Figure]:
    """Print MRR@10 by kind and half; of what is promised the figures."""
    table, figures, at = [["MRR@10"], *([name] for name in rows)], [], 0
    for kind, queries in items.queries.items():
        rest = {}
        halves = {"development": [True], "the rest": [False]} if web == DEVELOPED else {}
        for half, chosen in (halves or {"all": [True, False]}).items():
            table[0].append(f"{kind}, {half}")
            wanted = [n for n, query in enumerate(queries) if query.development in chosen]
            for row, (name, ranks) in zip(table[1:], rows.items(), strict=True):
                rest[name] = fmean(_worth(ranks[at + n], queries[n].page) for n in wanted)
                row.append(f"{rest[name]:.3f}")
        at += len(queries)
        both = rest[ALL], rest[ALONE]
        figures.append(Figure(f"{web}, {kind}: all by text alone", "MRR", *both, AT_LEAST, 1.15))
        for peer in PEERS:
            both = rest[ALONE], rest[peer]
            figures.append(Figure(f"{web}, {kind}: text by {peer}", "MRR", *both, AT_LEAST, 1.0))
    n = ", ".join(f"{len(queries):,} by {kind}" for kind, queries in items.queries.items())
    print(f"\n{web}: {len(items.pages):,} pages, {len(items.links):,} links; queries: {n}")
    print(aligned(table), flush=True)
    return figures


def _worth(ranks: list[int], page: int) -> float:
    return 1 / (ranks.index(page) + 1) if page in ranks else 0.0


def cost(pages: int, rounds: int, folder: Path) -> list[Figure]:
    """CPU of a crawl of recorded pages with an index and without."""
    spent: dict[int, list[float]] = {1: [], 0: []}
    with serving("benchmarks.realweb", [str(WEBS / "docs.warc.gz")]) as told:
        address, seeds = told.split()
        for number in range(rounds):
            for on, each in spent.items():
                directory = folder / f"crawl-{on}-{number}"
                options = "-s", f"FRONTIER_INDEX={on}", "-s", f"CLOSESPIDER_ITEMCOUNT={pages}"
                used = crawl(OURS, seeds, directory, 900, *options, http_proxy=address)
                each.append(1000 * used.cpu / len(items_of(directory).read_bytes().splitlines()))
                print(f"index {on}: {each[-1]:.2f} ms/page", file=sys.stderr, flush=True)
    both = median(spent[1]), median(spent[0])
    return [Figure(f"crawl of {pages:,} pages with an index, CPU", "ms/page", *both, AT_MOST, 1.15)]


def main(arguments: Sequence[str]) -> int:
    """Measure; 1 if a promise was missed or a child failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks search", description=__doc__)
    parser.add_argument("--queries", type=int, default=2000, help="of each kind and web")
    parser.add_argument("--only", default=",".join([*TOPICS, "cost"]), help="parts, with commas")
    parser.add_argument("--weights", default="{}", help='JSON, as {"links": 2}')
    parser.add_argument("--vectors", action="store_true", help="show that part too: slow")
    parser.add_argument("--pages", type=int, default=2000, help="of the crawls (cost)")
    parser.add_argument("--rounds", type=int, default=2, help="crawls of each kind (cost)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    given = parser.parse_args(arguments)
    figures: list[Figure] = []
    try:
        install_peers(REQUIREMENTS, CACHE / "search-peers")
        for part in given.only.split(","):
            print(f"Measuring {part} ...", file=sys.stderr, flush=True)
            with TemporaryDirectory(prefix="benchmark-") as temporary:
                if part == "cost":
                    figures += cost(given.pages, given.rounds, Path(temporary))
                else:
                    weights = json.loads(given.weights)
                    to = Path(temporary)
                    figures += quality(part, given.queries, to, weights, vectors=given.vectors)
    except BenchmarkError as error:
        print(error, file=sys.stderr)
        return 1
    return tell(figures, given.json)
