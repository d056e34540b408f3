"""Labels: the topics of pages of a web. A crawl is scored with them, and never reads them.

A file of labels has a line for each label, `url<TAB>topic`; a page may have several. A heading
`url<TAB>topic`, blank lines and lines that begin with `#` are skipped; any other line without a
label is kept with its number and fault.

Topics are ordered by BLAKE2b (8 bytes) of their name; every other one, from the first, is for
development, the others are for the test. So topics cannot be chosen in favour of a method.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from frontier.errors import LabError
from frontier.urls.canonical import canonical_url
from frontier.urls.url_lists import read_text_file, url_fault

Part = Literal["development", "test", "all"]
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class BadLine:
    """An unusable line: its number from 1, its text, its fault."""

    number: int
    text: str
    fault: str

    def __str__(self) -> str:
        return f"line {self.number}: {self.fault}: {self.text[:80]!r}"


@dataclass(frozen=True)
class Labels:
    """Topic -> its labelled pages (canonical URLs, in file order), and the lines left out."""

    topics: dict[str, tuple[str, ...]]
    bad: list[BadLine] = field(default_factory=list)


def read_labels(path: Path) -> Labels:
    """Read a file of labels. Raises LabError if it cannot be read or holds no label."""
    pairs, bad = read_pairs(path, "labels", ("URL", "topic"), _fault)
    topics: dict[str, dict[str, None]] = {}
    for url, topic in pairs:
        topics.setdefault(topic, {})[canonical_url(url)] = None
    return Labels({topic: tuple(urls) for topic, urls in topics.items()}, bad)


def read_pairs(
    path: Path, what: str, heading: tuple[str, str], fault: Callable[[str, str, str], str | None]
) -> tuple[list[tuple[str, str]], list[BadLine]]:
    """The pairs before and behind the tab in each line of a file, and the lines without a pair.

    Blank lines, comments and a heading are skipped. `fault` returns the fault of a line and its
    parts, or None. Raises LabError if no line can be used.
    """
    pairs, bad = [], []
    # Lines as editors count them: `str.splitlines` also splits at U+0085 or U+2028, which a
    # topic's name may hold.
    lines = read_text_file(str(path), what, LabError).split("\n")
    for number, line in enumerate(lines, start=1):
        before, _, behind = (part.strip() for part in line.partition("\t"))
        is_heading = number == 1 and f"{before}\t{behind}".lower() == "\t".join(heading).lower()
        if not line.strip() or line.startswith("#") or is_heading:
            continue
        wrong = fault(line, before, behind)
        if wrong is None:
            pairs.append((before, behind))
        else:
            bad.append(BadLine(number, line, wrong))
    if not pairs:
        shown = "".join(f"\n  {line}" for line in bad[:_SHOWN])
        more = f"\n  ... and {len(bad) - _SHOWN:,} more" if len(bad) > _SHOWN else ""
        problem = f"not one of its {len(bad):,} lines is one" if bad else "it is empty"
        raise LabError(
            f"expected {what} in {path}, a line each: {heading[0]}, a tab, {heading[1]}; but "
            f"{problem}. Correct the file{shown}{more}"
        )
    return pairs, bad


def _fault(line: str, url: str, topic: str) -> str | None:
    if "\t" not in line:
        return "no tab between URL and topic"
    if not topic:
        return "no topic behind the tab"
    if "\t" in topic:
        return "more than one tab"
    fault = url_fault(url)
    return None if fault is None else f"the URL {fault}"


@dataclass(frozen=True)
class Sides:
    """Topics for development and for the test, each in hash order; number of unused topics."""

    development: tuple[str, ...]
    test: tuple[str, ...]
    dropped: int = 0

    def part(self, name: Part, at_most: int | None = None) -> tuple[str, ...]:
        """The first topics of a side, or of both in turns."""
        both = tuple(sorted((*self.development, *self.test), key=topic_hash))
        return {"all": both, "development": self.development, "test": self.test}[name][:at_most]


def topic_hash(topic: str) -> str:
    """Sixteen hex digits that order topics."""
    return blake2b(topic.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def split_topics(labels: Labels, fewest: int = 1, most: int | None = None) -> Sides:
    """Split the topics that have `fewest` to `most` labelled pages.

    Raises LabError if there is none.
    """
    sizes = {topic: len(urls) for topic, urls in labels.topics.items()}
    eligible = [topic for topic, size in sizes.items() if fewest <= size <= (most or size)]
    if not eligible:
        wanted = f"{fewest:,} to {most:,}" if most else f"{fewest:,} or more"
        raise LabError(
            f"expected topics with {wanted} labelled pages, but of {len(sizes):,} topics the "
            f"smallest has {min(sizes.values()):,} and the largest {max(sizes.values()):,}. Change "
            "the bounds, or label more pages"
        )
    eligible.sort(key=topic_hash)
    return Sides(tuple(eligible[::2]), tuple(eligible[1::2]), len(sizes) - len(eligible))
