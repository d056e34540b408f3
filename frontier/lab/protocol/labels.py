"""Which pages of a web are about what: the labels that a crawl is scored with, and never reads.

A file of labels holds a line a label, `url<TAB>topic`; a page may have several. A heading
`url<TAB>topic`, blank lines and lines that open with `#` are passed over. A line that is none of
these is kept aside with its number and its fault, and the others are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from frontier.errors import LabError
from frontier.urls.canonical import canonical_url
from frontier.urls.url_lists import url_fault

_HEADING = ("url", "topic")
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that could not be used: its number from 1, what it says, what is wrong with it."""

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
    """Read a file of labels. Raises LabError where it cannot be read or no line is a label."""
    found: dict[str, dict[str, None]] = {}
    bad = []
    for number, line, url, topic in pairs_of(path, "labels", _HEADING):
        fault = _fault(line, url, topic)
        if fault is None:
            found.setdefault(topic, {})[canonical_url(url)] = None
        else:
            bad.append(BadLine(number, line, fault))
    if not found:
        raise LabError(_no_label(path, bad))
    return Labels({topic: tuple(urls) for topic, urls in found.items()}, bad)


def pairs_of(
    path: Path, what: str, heading: tuple[str, str]
) -> Iterator[tuple[int, str, str, str]]:
    """Yield each line of a file that says anything: its number, itself, and what its tab parts.

    Blank lines, comments and a first line that is the heading, in lower case, say nothing. Raises
    LabError where the file cannot be read.
    """
    for number, line in enumerate(_lines(path, what), start=1):
        before, _, behind = (part.strip() for part in line.partition("\t"))
        is_heading = number == 1 and (before.lower(), behind.lower()) == heading
        if line.strip() and not line.startswith("#") and not is_heading:
            yield number, line, before, behind


def _lines(path: Path, what: str) -> list[str]:
    """Lines of a UTF-8 file, with or without a byte order mark; LabError says why it is none.

    Lines as editors count them: `str.splitlines` would also end one at what a topic's name may
    hold, such as U+0085 or U+2028.
    """
    try:
        return path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise LabError(
            f"expected a text file of {what}, but {path} is not UTF-8 text. Save it as UTF-8"
        ) from None
    except OSError as error:
        raise LabError(
            f"expected a file of {what}, but {path} cannot be read: {error.strerror or error}. "
            "Check the name"
        ) from None


def _fault(line: str, url: str, topic: str) -> str | None:
    if "\t" not in line:
        return "no tab between URL and topic"
    if not topic:
        return "no topic behind the tab"
    if "\t" in topic:
        return "more than one tab"
    fault = url_fault(url)
    return None if fault is None else f"the URL {fault}"


def _no_label(path: Path, bad: list[BadLine]) -> str:
    shown = "".join(f"\n  {line}" for line in bad[:_SHOWN])
    more = f"\n  ... and {len(bad) - _SHOWN:,} more" if len(bad) > _SHOWN else ""
    found = f"not one of its {len(bad):,} lines is one" if bad else "it is empty"
    return (
        f"expected labels in {path}, a line each: URL, a tab, topic; but {found}. "
        f"Correct the file{shown}{more}"
    )
