"""What people say of pages: a file beside the crawl, that it reads while it runs.

The crawl holds its store alone, so answers go to a file of their own in the same directory: a line
a label, `yes` or `no`, a tab, the URL. It is only ever appended to, a whole answer at a time, and
what was said last of a URL holds. People may write it by hand as well.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from frontier.errors import LabelsError
from frontier.urls.url_lists import encoding_of, shown_entry, text_of, url_fault

logger = logging.getLogger(__name__)

FILE = "labels.tsv"
_WORDS = {"yes": True, "no": False}


class Label(NamedTuple):
    """One answer: whether a page is of the kind that is wanted."""

    url: str
    wanted: bool


def parse_label(line: str) -> Label:
    """Read `yes URL` or `no URL`, with any space between; raises LabelsError for anything else."""
    word, _, url = line.strip().replace("\t", " ").partition(" ")
    fault = url_fault(url.strip()) if url else "no URL"
    if word.lower() not in _WORDS or fault is not None:
        raise LabelsError(
            f"expected 'yes URL' or 'no URL', got {shown_entry(line.strip())!r}"
            + (f" ({fault})" if word.lower() in _WORDS else "")
        )
    return Label(url.strip(), _WORDS[word.lower()])


def append_labels(directory: Path, labels: Iterable[Label]) -> None:
    """Add labels to those of the crawl in `directory`; they are on disk when it returns.

    Raises LabelsError where the machine refuses.
    """
    lines = "".join(f"{'yes' if one.wanted else 'no'}\t{one.url}\n" for one in labels)
    try:
        with (directory / FILE).open("ab+") as file:
            file.seek(0)
            before = file.read()
            if text_of(before, "replace")[-1:] not in ("", "\n"):
                # An editor left it so; or a crash, and only that line is lost.
                lines = "\n" + lines
            # Appended at once: two processes that answer together do not mix their lines.
            file.write(lines.encode(encoding_of(before)))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise LabelsError(
            f"The labels could not be written to {directory / FILE}: {error}. "
            f"Nothing was changed; make the directory writable and answer again."
        ) from error


class LabelFile:
    """Reads what is new in the labels of a crawl; to ask costs a microsecond or two."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE
        self._size: int | None = None
        self._taken = 0
        self._waits = False

    def news(self) -> list[Label]:
        """Labels that were added since the last call, of each URL the last.

        Lines that are none are logged and skipped. A file that became shorter was edited: it is
        read anew. A last line without an end is read at the first call, and later once nothing has
        been added to it between two calls.
        """
        try:
            size = os.stat(self._path).st_size  # noqa: PTH116 - three times as fast
        except OSError:
            return []
        same = size == self._size
        if same and not self._waits:
            return []
        if size < (self._size or 0):
            self._taken = 0
        self._waits = self._size is not None and not same
        self._size = size
        return _labels(self._new_lines(), self._path)

    def _new_lines(self) -> list[str]:
        try:
            *lines, last = text_of(self._path.read_bytes(), "replace").split("\n")
        except OSError as error:
            logger.warning("The labels in %s cannot be read: %s", self._path, error)
            return []
        new, self._taken = lines[self._taken :], len(lines)
        self._waits = self._waits and bool(last)
        return new if self._waits else [*new, last]


def read_labels(directory: Path) -> list[Label]:
    """All labels of a crawl, of each URL the last."""
    return LabelFile(directory).news()


def _labels(lines: Iterable[str], path: Path) -> list[Label]:
    found: dict[str, Label] = {}
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        try:
            label = parse_label(line)
        except LabelsError as error:
            logger.warning("A line of %s is skipped: %s", path, error)
            continue
        found.pop(label.url, None)
        found[label.url] = label
    return list(found.values())
