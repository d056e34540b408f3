"""Labels of pages: a file beside the crawl, which the crawl reads while it runs.

The crawl holds its store alone, so labels go to a file of their own in the same directory: a line a
label, `yes` or `no`, a tab, the URL. The file is only ever appended to, and the last label of a URL
holds. It may be written by hand as well.
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
    """Whether a page is wanted."""

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
    lines = "".join(f"{'yes' if label.wanted else 'no'}\t{label.url}\n" for label in labels)
    try:
        with (directory / FILE).open("ab+") as file:
            file.seek(0)
            before = file.read()
            if text_of(before, "replace")[-1:] not in ("", "\n"):
                # By an editor; or by a crash, and only that line is lost.
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
    """Reads the new labels of a crawl; a call without any costs a microsecond or two."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / FILE
        self._stamp: tuple[int, int] | None = None
        self._known: dict[str, bool] = {}

    def news(self) -> list[Label]:
        """Labels that are new or changed since the last call, of each URL the last.

        Other lines are logged and skipped.
        """
        try:
            stat = os.stat(self._path)  # noqa: PTH116 - three times as fast
            if (stat.st_size, stat.st_mtime_ns) == self._stamp:
                return []
            lines = text_of(self._path.read_bytes(), "replace").split("\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            logger.warning("The labels in %s cannot be read: %s", self._path, error)
            return []
        self._stamp = stat.st_size, stat.st_mtime_ns
        before, self._known = self._known, _labels(lines, self._path)
        return [Label(*pair) for pair in self._known.items() if before.get(pair[0]) is not pair[1]]


def read_labels(directory: Path) -> list[Label]:
    """All labels of a crawl, of each URL the last."""
    return LabelFile(directory).news()


def _labels(lines: Iterable[str], path: Path) -> dict[str, bool]:
    labels: dict[str, bool] = {}
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        try:
            label = parse_label(line)
        except LabelsError as error:
            logger.warning("A line of %s is skipped: %s", path, error)
            continue
        labels.pop(label.url, None)
        labels[label.url] = label.wanted
    return labels
