"""What other pages say of a page: the texts of their links, each domain once.

A term counts once a registered domain, however many of its pages and hosts say it, the page's own
domain like any other: who owns a domain can write as many pages as they like. A domain's text on
a page is at most so many terms, those of the texts that most of its pages use; of many domains
those come first that were met first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator

from frontier.search.words import term_list

__all__ = ["merged"]

_OF_DOMAIN = 12
"""Terms; a longer text is a teaser, or says many things."""
_DOMAINS = 100
"""More of them say nothing new."""
_TEXTS = 200
"""Distinct texts a domain has for a page that are counted."""


def merged(links: Iterable[tuple[int, Hashable, str]]) -> Iterator[tuple[int, str]]:
    """Yield (target, terms of what is said of it) of links (target, domain, text).

    Terms are joined by blanks; targets of which nothing is said are left out.
    """
    said: dict[int, dict[Hashable, Counter[str]]] = {}
    for target, domain, text in links:
        domains = said.setdefault(target, {})
        texts = domains.get(domain)
        if texts is None:
            if len(domains) >= _DOMAINS:
                continue
            texts = domains[domain] = Counter()
        if text in texts or len(texts) < _TEXTS:
            texts[text] += 1
    for target, domains in said.items():
        terms = " ".join(filter(None, map(_of_domain, domains.values())))
        if terms:
            yield target, terms


def _of_domain(texts: Counter[str]) -> str:
    found: dict[str, None] = {}
    for text, _ in texts.most_common():
        found.update(dict.fromkeys(term_list(text)))
        if len(found) >= _OF_DOMAIN:
            break
    return " ".join(list(found)[:_OF_DOMAIN])
