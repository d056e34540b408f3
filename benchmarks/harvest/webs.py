"""The webs of the benchmark, and how each is asked: topics, seeds, variants, budget, targets.

Two were recorded, three are built by `python -m benchmarks webs`; of each there are two more, with
dead links and with redirects, and of those with many folders one where half of these is closed.
Which topics are for development and which for the test follows from their names and numbers of
labels (`frontier.lab.protocol.labels`), so that a web and its harder forms, which have the same
labels, have the same topics.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from benchmarks.children import ROOT, AbsentError
from benchmarks.webs.variants import CLOSED, VARIANTS

BUDGET: Final = 1500
HEADLINE: Final = "names"
"""The variant of a task that every web has: seeds of the web, and the topic's plain name."""
_KEYWORDS: Final = ROOT / "benchmarks" / "harvest" / "docs.keywords.tsv"


@dataclass(frozen=True)
class Judged:
    """A recorded web as orders are judged by it.

    Attributes:
        name: of its files.
        labels: ending of the file of labels.
        options: of `scrapy lab run`, `{}` standing for the folder and name of the web.
        limits: topics at most, by part.
        targets: variant -> figure -> least value; none: the variant is run and promises nothing.
        rivals: orders that have to be beaten in every variant.
        budget: requests a run.

    """

    name: str
    labels: str
    options: tuple[str, ...]
    limits: dict[str, int]
    targets: dict[str, dict[str, float]]
    rivals: tuple[str, ...] = ()
    budget: int = BUDGET

    def files(self, folder: Path) -> tuple[Path, Path]:
        """The recording and its labels in a folder."""
        return folder / f"{self.name}.warc.gz", folder / f"{self.name}.{self.labels}"

    def options_in(self, folder: Path) -> list[str]:
        """Its options where its files lie in a folder."""
        return [option.format(folder / self.name) for option in self.options]

    def folder(self, folders: Sequence[Path]) -> Path:
        """The first folder that holds its files. Raises AbsentError where none does."""
        for one in folders:
            if all(path.exists() for path in self.files(one)):
                return one
        wanted = " and ".join(path.name for path in self.files(Path()))
        raise AbsentError(f"no {wanted} in {', '.join(map(str, folders))}")


_EVERYWHERE: Final = {"recall_2t": 0.55, "harvest_100": 0.37}
_TEN: Final = {"development": 10, "test": 12}
_OWN_SEEDS: Final = ("--seeds", "{}.seeds.txt")
_OWN_WORDS: Final = (*_OWN_SEEDS, "--keywords", "{}.keywords.tsv")
WIKISPEEDIA: Final = Judged(
    "wikispeedia",
    "topics.tsv",
    ("--min-pages", "40", "--max-pages", "200"),
    _TEN,
    {
        HEADLINE: {},
        "inside": {"nauc": 0.81, **_EVERYWHERE},
        "outside": {"nauc": 0.81, **_EVERYWHERE},
        "keywords": {"nauc": 0.80, **_EVERYWHERE},
    },
    ("fc-mean", "best-first", "bfs"),
)
DOCS: Final = Judged(
    "docs",
    "subjects.tsv",
    (*_OWN_SEEDS, "--keywords", str(_KEYWORDS)),
    {"development": 5, "test": 5},
    {HEADLINE: {}, "keywords": {"nauc": 0.78}},
    ("fc-mean", "best-first", "anchor-parent"),
)
DIGITALGOV: Final = Judged(
    "digitalgov",
    "topics.tsv",
    (*_OWN_WORDS, "--min-pages", "20", "--max-pages", "200"),
    _TEN,
    {HEADLINE: {}, "outside": {}, "keywords": {}},
)
SHOP: Final = Judged(
    "shop",
    "topics.tsv",
    (*_OWN_WORDS, "--min-pages", "20", "--max-pages", "200"),
    _TEN,
    {HEADLINE: {}, "outside": {}, "keywords": {}},
)
HANDBOOK: Final = Judged(
    "handbook",
    "topics.tsv",
    _OWN_WORDS,
    {"development": 8, "test": 8},
    {HEADLINE: {}, "outside": {}, "keywords": {}},
    # Small: with more requests every order has seen all of it.
    budget=600,
)


def harder(web: Judged) -> Iterator[Judged]:
    """A web with dead links, closed folders and redirects: nothing is promised of these."""
    for variant in VARIANTS:
        if variant == CLOSED and web not in _MANY_FOLDERS:
            continue
        yield replace(web, name=f"{web.name}-{variant}", targets={HEADLINE: {}}, rivals=())


_MANY_FOLDERS: Final = (DOCS, DIGITALGOV, HANDBOOK)
_PLAIN: Final = (WIKISPEEDIA, DOCS, DIGITALGOV, SHOP, HANDBOOK)
WEBS: Final = (*_PLAIN, *(one for web in _PLAIN for one in harder(web)))
