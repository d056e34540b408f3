"""A catalogue as shops have it, of Debian's packages: a page an article, listings in many orders.

An article is a package of an index, drawn by a keyed hash of its name, with its description,
section and sizes, and links to what it needs, what goes with it and what is described in like
words. Sections are listed by name or size, whole or in part, and all in pages, such as
`?only=small&page=2&sort=size`. Makers have listings too. Labels are debtags, which no page shows
and no link follows from.

The index is a `Packages` file, and the `Translation-en` with the descriptions: paragraphs of
`Name: value` with indented lines behind, and blank lines between.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import IO, Final

from benchmarks.children import BenchmarkError
from benchmarks.webs.variants import chance
from benchmarks.webs.writing import Answer, Web, keywords, page, telling

NAME: Final = "shop"
HOME: Final = "http://shop.example/"
FACETS: Final = (
    *("admin", "field", "game", "mail", "network", "office", "protocol", "security", "sound"),
    *("use", "web", "works-with"),
)
"""Facets of debtags that say what a package is for; others say how it is made."""
FEWEST: Final = 12
"""Articles of a topic."""
_EACH: Final = 24
_MOST: Final = 12
_SORTS: Final[dict[str, Callable[[Package], tuple[int, str]]]] = {
    "name": lambda one: (0, one.name),
    "size": lambda one: (-one.size, one.name),
}
_SMALL: Final = 100_000
_ONLY: Final[dict[str, Callable[[Package], bool]]] = {
    "": lambda one: True,
    "small": lambda one: one.size < _SMALL,
    "large": lambda one: one.size >= _SMALL,
}
_WORD: Final = re.compile(r"[a-z][a-z0-9+-]{3,}")
_COMMON: Final = 40
"""Articles: a word that more of them say makes no two of them alike."""


def build(index: Path, descriptions: Path, most: int = 5000) -> Web:
    """The catalogue of at most so many packages that debtags say something about."""
    known = [one for one in read_packages(index, descriptions) if topics_of(one)]
    known.sort(key=lambda one: (chance("article", one.name), one.name))
    shop = Shop(sorted(known[:most], key=lambda one: one.name))
    every = [(article_url(one), topic) for one in shop.articles for topic in topics_of(one)]
    sizes = Counter(topic for _, topic in every)
    labels = [(url, topic) for url, topic in every if sizes[topic] >= FEWEST]
    return Web(
        NAME,
        [*shop.pages()],
        labels,
        [HOME],
        _keywords({topic for _, topic in labels}, known[most:]),
        made_of={
            "made of": [
                {"file": what, "sha256": sha256(path.read_bytes()).hexdigest()}
                for what, path in (("Packages", index), ("Translation-en", descriptions))
            ],
            "licence": "descriptions come with the packages, under their licences, which are free "
            "by Debian's guidelines; debtags are part of the index",
        },
    )


def topics_of(package: Package) -> list[str]:
    """Topics of a package: its debtags of some facets, with dots, as topics are spelled."""
    chosen = (tag for tag in package.tags if tag.split("::")[0] in FACETS and "TODO" not in tag)
    return [tag.replace("::", ".").replace(":", ".") for tag in chosen]


def _keywords(topics: set[str], others: Sequence[Package]) -> dict[str, str]:
    """Words of each topic's name, and of packages about it that the shop does not have."""
    about: dict[str, list[str]] = {topic: [] for topic in sorted(topics)}
    for one in others:
        for topic in topics.intersection(topics_of(one)):
            about[topic].append(_text(one))
    words = telling(about, map(_text, others))
    return {topic: keywords(" ".join(topic.split(".")[1:]), words[topic]) for topic in about}


def article_url(package: Package) -> str:
    """Where a package is shown."""
    return f"{HOME}article/{package.name}"


def _slug(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-") or "others"


@dataclass
class Shop:
    """The pages of some packages, which are sorted by name."""

    articles: Sequence[Package]
    by_name: dict[str, Package] = field(init=False)
    sections: dict[str, list[Package]] = field(init=False)
    makers: dict[str, list[Package]] = field(init=False)

    def __post_init__(self) -> None:
        self.by_name = {one.name: one for one in self.articles}
        self.sections, self.makers = {}, {}
        for one in self.articles:
            self.sections.setdefault(one.section, []).append(one)
            self.makers.setdefault(_slug(one.maintainer), []).append(one)

    def pages(self) -> Iterator[Answer]:
        """All pages, home first."""
        yield page(HOME, self._framed("Everything for your computer", self._home()))
        alike = like_worded(self.articles)
        for one in self.articles:
            yield page(article_url(one), self._framed(one.name, self._article(one, alike)))
        for name, inside in sorted(self.sections.items()):
            for only, wanted in _ONLY.items():
                for sort, key in _SORTS.items():
                    chosen = sorted(filter(wanted, inside), key=key)
                    title = " ".join(filter(None, (f"Section {name}", only)))
                    yield from self._listing(f"section/{name}", title, chosen, sort, only)
        for name, made in sorted(self.makers.items()):
            yield from self._listing(f"maker/{name}", made[0].maintainer, made)

    def _home(self) -> str:
        drawn = sorted(self.articles, key=lambda one: chance("home", one.name))[:_EACH]
        return f"<h1>Our offers today</h1>{_cards(drawn)}"

    def _article(self, one: Package, alike: dict[str, list[str]]) -> str:
        facts = {"Version": one.version, "Download": f"{one.size:,} bytes"}
        facts["On disk"] = f"{one.installed:,} KiB"
        rows = "".join(f"<tr><th>{k}</th><td>{escape(v)}</td></tr>" for k, v in facts.items())
        text = "".join(f"<p>{escape(part)}</p>" for part in one.description)
        maker = f'<a href="/maker/{_slug(one.maintainer)}">{escape(one.maintainer)}</a>'
        return (
            f'<nav><a href="/">Home</a> <a href="/section/{one.section}">{one.section}</a></nav>'
            f"<h1>{escape(one.name)}</h1><p><b>{escape(one.summary)}</b></p>{text}"
            f"<table>{rows}</table><p>By {maker}</p>"
            f"{self._named('Needs', one.needs)}{self._named('Goes with it', one.goes_with)}"
            f"{self._named('Similar', alike[one.name])}"
        )

    def _named(self, title: str, names: Sequence[str]) -> str:
        found = [self.by_name[name] for name in names if name in self.by_name][:_MOST]
        return f"<h2>{title}</h2>{_cards(found)}" if found else ""

    def _listing(
        self, path: str, title: str, chosen: Sequence[Package], sort: str = "name", only: str = ""
    ) -> Iterator[Answer]:
        """Pages of a listing; arguments of the address that say what is usual are left out."""
        count = max(1, -(-len(chosen) // _EACH))
        choices = path.startswith("section/")
        for number in range(1, count + 1):
            around = [at for at in range(number - 2, number + 3) if 1 <= at <= count]
            pager = [(f"Page {at}", _address(path, at, sort, only)) for at in around]
            pager += [(f"By {one}", _address(path, 1, one, only)) for one in _SORTS if choices]
            pager += [(one or "all", _address(path, 1, sort, one)) for one in _ONLY if choices]
            cards = _cards(chosen[(number - 1) * _EACH : number * _EACH])
            main = f"<h1>{escape(title)}</h1>{cards}<nav>{_links(pager)}</nav>"
            yield page(f"{HOME}{_address(path, number, sort, only)[1:]}", self._framed(title, main))

    def _framed(self, title: str, main: str) -> str:
        menu = _links([(name, f"/section/{name}") for name in sorted(self.sections)])
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f"<title>{escape(title)} - Shop</title></head><body>\n"
            f'<header><a href="/">Shop</a><nav>{menu}</nav></header>\n'
            f"<main>{main}</main></body></html>\n"
        )


def _address(path: str, number: int, sort: str, only: str) -> str:
    said = {"only": only, "page": str(number) if number > 1 else ""}
    said["sort"] = sort if sort != "name" else ""
    query = "&".join(f"{name}={value}" for name, value in said.items() if value)
    return f"/{path}?{query}" if query else f"/{path}"


def _cards(packages: Sequence[Package]) -> str:
    shown = "".join(
        f'<li><a href="/article/{one.name}">{escape(one.name)}</a>: {escape(one.summary)}</li>\n'
        for one in packages
    )
    return f"<ul>{shown}</ul>"


def _links(links: Sequence[tuple[str, str]]) -> str:
    return " ".join(f'<a href="{escape(to)}">{escape(said)}</a>' for said, to in links)


def like_worded(packages: Sequence[Package], most: int = 6) -> dict[str, list[str]]:
    """Name -> names of the packages that share the rarest words of their descriptions with it."""
    spoken = {one.name: set(_WORD.findall(_text(one).lower())) for one in packages}
    sayers: dict[str, list[str]] = {}
    for name, words in spoken.items():
        for word in words:
            sayers.setdefault(word, []).append(name)
    found = {}
    for name, words in spoken.items():
        worth: dict[str, float] = {}
        for word in sorted(words):
            others = sayers[word]
            if len(others) <= _COMMON:
                for other in others:
                    worth[other] = worth.get(other, 0.0) + 1 / len(others)
        worth.pop(name, None)
        found[name] = sorted(worth, key=lambda other: (-worth[other], other))[:most]
    return found


def _text(package: Package) -> str:
    return " ".join((package.summary, *package.description))


_SEPARATORS: Final = re.compile(r"[,|]")


@dataclass(frozen=True)
class Package:
    """What the index says of a package.

    Attributes:
        name, version, section, maintainer: as written; of a maintainer the name alone.
        size, installed: bytes to download, KiB on disk.
        summary, description: the first line, and paragraphs.
        needs, goes_with: names of others: depends; recommends, suggests and enhances.
        tags: debtags.

    """

    name: str
    version: str
    section: str
    maintainer: str
    size: int
    installed: int
    summary: str
    description: tuple[str, ...]
    needs: tuple[str, ...]
    goes_with: tuple[str, ...]
    tags: tuple[str, ...]


def read_packages(index: Path, descriptions: Path) -> list[Package]:
    """All packages of an index that have a description, by name. Raises BenchmarkError."""
    try:
        with descriptions.open(encoding="utf-8", errors="replace") as file:
            said = {one["Package"]: one["Description-en"] for one in _described(file)}
        with index.open(encoding="utf-8", errors="replace") as file:
            found = {
                one["Package"]: _package(one, said[one["Package"]])
                for one in paragraphs(file)
                if one.get("Package") in said
            }
    except OSError as error:
        raise BenchmarkError(
            f"expected an index of packages and its descriptions, but {error.filename} cannot be "
            f"read: {error.strerror}. Unpack both first"
        ) from error
    if not found:
        raise BenchmarkError(
            f"expected packages in {index} that {descriptions} describes, found none. Name a "
            "Packages file and the Translation-en of the same release"
        )
    return [found[name] for name in sorted(found)]


def paragraphs(lines: Iterable[str]) -> Iterator[dict[str, str]]:
    """The paragraphs of a control file."""
    fields: dict[str, str] = {}
    name = ""
    for line in lines:
        if not line.strip():
            if fields:
                yield fields
            fields, name = {}, ""
        elif line[0] in " \t":
            fields[name] = f"{fields.get(name, '')}\n{line.strip()}"
        else:
            name, _, value = line.partition(":")
            fields[name] = value.strip()
    if fields:
        yield fields


def _described(file: IO[str]) -> Iterator[dict[str, str]]:
    return (one for one in paragraphs(file) if "Package" in one and "Description-en" in one)


def _package(fields: dict[str, str], described: str) -> Package:
    said = fields.get
    summary, _, rest = described.partition("\n")
    more = (said(name, "") for name in ("Recommends", "Suggests", "Enhances"))
    return Package(
        fields["Package"],
        said("Version", ""),
        said("Section", "misc").rpartition("/")[2],
        said("Maintainer", "").partition("<")[0].strip(' "'),
        int(said("Size", "0")),
        int(said("Installed-Size", "0")),
        summary,
        tuple(part.strip() for part in f"\n{rest}\n".split("\n.\n") if part.strip()),
        _names(said("Depends", "")),
        _names(",".join(more)),
        tuple(tag.strip() for tag in said("Tag", "").replace("\n", " ").split(",") if tag.strip()),
    )


def _names(relation: str) -> tuple[str, ...]:
    names = (re.split(r"[\s(:]", one.strip())[0] for one in _SEPARATORS.split(relation))
    return tuple(dict.fromkeys(name for name in names if name))
