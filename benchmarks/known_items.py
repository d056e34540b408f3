"""Known-item queries on a recorded web: pages that are looked for by words that name them.

No label is used. Whether a page belongs to the development half is drawn by its URL.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from scrapy.settings import Settings

from frontier.lab.replay.webfile import AnswerKind
from frontier.plugin.recorded import parser_of
from frontier.urls.canonical import canonical_url
from frontier.web.recorded_web import RecordedWeb

if TYPE_CHECKING:
    from pathlib import Path

_NAVIGATION = {"next", "prev", "previous", "up", "home", "index", "contents", "top"}
_MOST_WORDS = 8
_COMMON = 0.05
"""Share of the titles of a host from which a word names the host, not the page."""
words_of = re.compile(r"\w+").findall


class Page(NamedTuple):
    """A page of the web: its place in the list is its number."""

    url: str
    title: str
    text: str


class Query(NamedTuple):
    """Words, and the one page that they are for."""

    words: str
    page: int
    development: bool


class KnownItems(NamedTuple):
    """What is indexed of a web, links as (source, target, text), and what is asked, by kind."""

    pages: list[Page]
    links: list[tuple[int, int, str]]
    queries: dict[str, list[Query]]


def known_items(recording: Path, most: int, seed: int = 1) -> KnownItems:
    """Read a web and draw at most so many queries of each kind."""
    pages, links = _read(recording)
    lot = random.Random(seed)
    of_links, links = _from_links(pages, links, lot)
    asked = {"titles": _from_titles(pages, lot), "link texts": of_links}
    queries = {
        kind: [
            Query(words, numbers[0], blake2b(pages[numbers[0]].url.encode()).digest()[0] < 128)
            for words, numbers in found.items()
            if len(numbers) == 1
        ]
        for kind, found in asked.items()
        if found
    }
    drawn = {kind: lot.sample(all_, min(most, len(all_))) for kind, all_ in queries.items()}
    return KnownItems(pages, links, drawn)


def _read(recording: Path) -> tuple[list[Page], list[tuple[int, int, str]]]:
    parse, _ = parser_of(Settings())
    web = RecordedWeb([recording])
    pages: dict[str, Page] = {}  # by text: a copy is no known item
    numbers: dict[str, int] = {}
    redirects: dict[str, str] = {}
    found: list[tuple[int, str, str]] = []
    for url in web.pages():
        kind, content = (parsed := parse(web.read(url))).kind, parsed.content
        if kind is AnswerKind.REDIRECT:
            redirects[canonical_url(url)] = canonical_url(parsed.location or "")
        elif content.text and content.text not in pages:
            number = numbers[canonical_url(url)] = len(pages)
            pages[content.text] = Page(url, content.title, content.text)
            found += [(number, canonical_url(link.url), link.anchor) for link in content.links]
    ends = ((source, numbers.get(redirects.get(url, url)), text) for source, url, text in found)
    links = [(source, to, text) for source, to, text in ends if to is not None and to != source]
    return list(pages.values()), links


def _from_titles(pages: list[Page], lot: random.Random) -> dict[str, list[int]]:
    """Query -> pages: the words of a title in another order, one of them dropped.

    Without numbers, and words of many titles of the host. Titles of one word are left out, and
    queries that are all words of another title.
    """
    hosts = [urlsplit(page.url).netloc for page in pages]
    spoken = [dict.fromkeys(words_of(page.title.lower())) for page in pages]
    used = Counter(
        (host, word) for host, words in zip(hosts, spoken, strict=True) for word in words
    )
    most = {host: max(_COMMON * n, 2) for host, n in Counter(hosts).items()}
    own = [
        [word for word in words if not word.isdecimal() and used[host, word] <= most[host]]
        for host, words in zip(hosts, spoken, strict=True)
    ]
    whole = set(map(frozenset, own))
    asked: dict[str, list[int]] = defaultdict(list)
    for number, words in enumerate(own):
        lot.shuffle(words)
        if len(words) > 1 and frozenset(words[1:]) not in whole:
            asked[" ".join(words[1:])].append(number)
    return asked


def _from_links(
    pages: list[Page], links: list[tuple[int, int, str]], lot: random.Random
) -> tuple[dict[str, list[int]], list[tuple[int, int, str]]]:
    """Query -> pages, and the links that are left.

    Of pages with several links, the text of one that leads to this page alone; not its title, but
    in an encyclopedia where all links have that. This link is left out: what others say stays,
    perhaps the same.
    """
    said = [" ".join(words_of(text.lower())) for _, _, text in links]
    of_page: dict[int, list[int]] = defaultdict(list)
    targets: dict[str, set[int]] = defaultdict(set)
    for at, (_, target, _) in enumerate(links):
        of_page[target].append(at)
        targets[said[at]].add(target)
    asked: dict[str, list[int]] = defaultdict(list)
    gone: set[int] = set()
    for target, numbers in of_page.items():
        title = " ".join(words_of(pages[target].title.lower()))
        alone = [at for at in numbers if targets[said[at]] == {target} and len(numbers) > 1]
        other = [at for at in alone if said[at] != title and _tells(said[at].split())]
        if other or alone:
            at = lot.choice(other or alone)
            asked[said[at]].append(target)
            gone.add(at)
    return asked, [link for at, link in enumerate(links) if at not in gone]


def _tells(words: list[str]) -> bool:
    spoken = [word for word in words if len(word) > 2 and word.isalpha()]
    return len(spoken) > 1 and len(words) <= _MOST_WORDS and _NAVIGATION.isdisjoint(words)
