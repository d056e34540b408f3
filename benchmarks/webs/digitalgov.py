"""Five sister sites of the government of the United States, in the public domain, with their links.

Topics are those of digital.gov's front matter and the tags of 18F's blog; tags that mean a topic of
digital.gov are that topic. A guide, or a site, about one topic is labelled as a whole. Listings,
home pages and pages of authors have no label.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.children import BenchmarkError
from benchmarks.webs.clones import Clone
from benchmarks.webs.hugo import digital_gov
from benchmarks.webs.keywords import keywords
from benchmarks.webs.sisters import blog_18f, design_system, guides_18f, plain_language
from benchmarks.webs.sites import Entry, Site, answers
from benchmarks.webs.writing import Web

NAME: Final = "digitalgov"
FEWEST: Final = 12
"""Labelled pages of a topic."""
_MAKERS: Final = {
    "digitalgov.gov": digital_gov,
    "18f.gsa.gov": blog_18f,
    "uswds-site": design_system,
    "guides": guides_18f,
    "plainlanguage.gov": plain_language,
}
_SIGNS: Final = {
    "digitalgov.gov": "themes/digital.gov/",
    "18f.gsa.gov": "content/posts/",
    "uswds-site": "_components/",
    "guides": "content/derisking/",
    "plainlanguage.gov": "_pages/guidelines/",
}
"""A folder that only this one of the repositories has."""
_GUIDES: Final = ("accessibility", "agile", "brand", "content-guide", "derisking", "methods")
_HOSTS: Final = {
    "digital.gov": "digitalgov.example",
    "www.digital.gov": "digitalgov.example",
    "digitalgov.gov": "digitalgov.example",
    "www.digitalgov.gov": "digitalgov.example",
    "18f.gsa.gov": "18f.gsa.example",
    "designsystem.digital.gov": "designsystem.digitalgov.example",
    "guides.18f.gov": "guides.18f.example",
    "plainlanguage.gov": "plainlanguage.example",
    "www.plainlanguage.gov": "plainlanguage.example",
    **{f"{name}.18f.gov": f"guides.18f.example/{name}" for name in _GUIDES},
    "engineering.18f.gov": "guides.18f.example/engineering",
    "ux-guide.18f.gov": "guides.18f.example/ux-guide",
    "product-guide.18f.gov": "guides.18f.example/product",
    "derisking-guide.18f.gov": "guides.18f.example/derisking",
    "standards.usa.gov": "designsystem.digitalgov.example",
    "components.designsystem.digital.gov": "designsystem.digitalgov.example/components",
}
"""Hosts of the sites, and those where guides lived once."""
_MEANS: Final = {
    "acquisition services": "acquisition",
    "api": "application-programming-interface",
    "apis": "application-programming-interface",
    "artificial intelligence": "artificial-intelligence",
    "modular contracting": "acquisition",
    "procurement": "acquisition",
    "content design": "content-strategy",
    "customer service": "customer-experience",
    "customer-service": "customer-experience",
    "https": "security",
    "user research": "research",
    "user-centered design": "human-centered-design",
    "user-centered-design": "human-centered-design",
}
_NO_TOPICS: Final = frozenset(
    (
        *("18f", "10x", "agency work", "events", "federalist", "general services administration"),
        *("guides", "how we work", "join us", "lessons learned", "platforms", "product launch"),
        *("speaker series", "technology transformation services", "tools you can use"),
        "transformation services",
    )
)
"""Tags of 18F's blog that say who, or what kind of post, and not what about."""
_ABOUT: Final = {
    ("guides.18f.example", "/accessibility/"): "accessibility",
    ("guides.18f.example", "/agile/"): "agile",
    ("guides.18f.example", "/content-guide/"): "content-strategy",
    ("guides.18f.example", "/derisking"): "acquisition",
    ("guides.18f.example", "/engineering/"): "software-engineering",
    ("guides.18f.example", "/methods/"): "human-centered-design",
    ("guides.18f.example", "/product/"): "product-and-project-management",
    ("guides.18f.example", "/ux-guide/"): "user-experience",
    ("designsystem.digitalgov.example", "/"): "web-design-system",
    ("plainlanguage.example", "/"): "plain-language",
}
"""Host and start of a path -> what all pages there are about."""


def build(folders: Sequence[Path]) -> Web:
    """The web of five clones, in any order. Raises BenchmarkError where one is missing."""
    clones = {_which(clone): clone for clone in map(Clone, folders)}
    if missing := [name for name in _MAKERS if name not in clones]:
        raise BenchmarkError(
            f"expected clones of five repositories, found none of {', '.join(missing)}. "
            "docs/benchmark.md names them"
        )
    sites = [make(clones[name]) for name, make in _MAKERS.items()]
    labels = _labels(sites)
    return Web(
        NAME,
        answers(sites, _HOSTS),
        labels,
        [f"http://{site.host}/" for site in sites],
        _keywords(sites[0], {topic for _, topic in labels}),
        made_of=_made_of(clones),
    )


def _which(clone: Clone) -> str:
    found = [name for name, sign in _SIGNS.items() if clone.texts(".md", ".html", under=sign)]
    if len(found) != 1:
        raise BenchmarkError(
            f"expected a clone of one of {', '.join(_SIGNS)}, but {clone.path} looks like none"
        )
    return found[0]


def _labels(sites: Sequence[Site]) -> list[tuple[str, str]]:
    found = [
        (f"http://{site.host}{entry.path}", topic)
        for site in sites
        for entry in site.entries
        for topic in _topics(site, entry)
    ]
    sizes = Counter(topic for _, topic in dict.fromkeys(found))
    return [(url, topic) for url, topic in dict.fromkeys(found) if sizes[topic] >= FEWEST]


def _keywords(site: Site, topics: set[str]) -> dict[str, str]:
    """Words of each topic's name, and of what digital.gov says in a line that it is about."""
    cards = next((one.entries for one in site.listings if one.path == "/topics/"), ())
    said = {card.path.split("/")[2]: card for card in cards}
    found = {}
    for topic in sorted(topics):
        card = said.get(topic)
        texts = (card.title, card.summary) if card else ()
        found[topic] = keywords(topic.replace("-", " "), *texts)
    return found


def _topics(site: Site, entry: Entry) -> Iterator[str]:
    for name in entry.topics:
        if name in _NO_TOPICS:
            continue
        yield _MEANS.get(name) or re.sub(r"[^a-z0-9]+", "-", name).strip("-")
    for (host, start), topic in _ABOUT.items():
        if site.host == host and entry.path.startswith(start) and len(entry.path) > 1:
            yield topic


def _made_of(clones: dict[str, Clone]) -> dict[str, Any]:
    return {
        "made of": [
            {"repository": name, "commit": clone.commit, "date": clone.date}
            for name, clone in sorted(clones.items())
        ],
        "licence": "works of the United States government: public domain, elsewhere CC0 1.0",
    }
