"""From a proxy's log to the record of a run: what was asked for, in which order.

Every request counts, repeated ones and those for what nobody wants too; robots.txt does not, for a
crawler that is polite should not pay for it. What the recorded web is to a replay it is here: a
target counts once, and what was never recorded is told apart from what failed when it was recorded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from frontier.lab.replay.records import FAILED, HIT, PAGE, REDIRECT, UNKNOWN, RunRecord
from frontier.lab.replay.webfile import AnswerKind

if TYPE_CHECKING:
    from frontier.lab.replay.records import Task
    from frontier.lab.replay.webfile import WebFile
    from frontier.web.recorded_web import RecordedWeb

_LETTERS = {
    AnswerKind.PAGE: PAGE,
    AnswerKind.REDIRECT: REDIRECT,
    AnswerKind.FAILED: FAILED,
    AnswerKind.UNKNOWN: UNKNOWN,
}


class RequestLog:
    """Takes the lines of the proxy's log and counts the requests among them."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []

    def write(self, line: str) -> int:
        """Take one line, as a file would."""
        entry = json.loads(line)
        if counts(entry):
            self.entries.append(entry)
        return len(line)

    def count(self) -> int:
        """Requests so far."""
        return len(self.entries)


def counts(entry: dict[str, Any]) -> bool:
    """Whether an entry of the log is a request for a page."""
    return urlsplit(str(entry["url"])).path != "/robots.txt"


def record_of(
    task: Task, entries: Iterable[dict[str, Any]], recorded: RecordedWeb, web: WebFile
) -> RunRecord:
    """The record of a crawl by its log, cut off at the budget."""
    kept = [entry for entry in entries if counts(entry)][: task.budget]
    numbers = [_number(str(entry["url"]), recorded, web) for entry in kept]
    left = {web.find(url) for url in task.targets} - {-1}
    total = len(left)
    letters = []
    for entry, number in zip(kept, numbers, strict=True):
        found = entry["method"] == "GET" and number in left
        left.discard(number if found else -1)
        letters.append(HIT if found else _letter(number, web))
    return RunRecord(
        key=task.key,
        budget=task.budget,
        n_targets=total,
        outcomes="".join(letters),
        urls=tuple(numbers),
    )


def _letter(number: int, web: WebFile) -> str:
    return UNKNOWN if number < 0 else _LETTERS[AnswerKind(int(web.kinds[number]))]


def _number(url: str, recorded: RecordedWeb, web: WebFile) -> int:
    """Number of the URL that answered: a proxy serves https pages under http, for one.

    -1 for a URL that no recorded page leads to.
    """
    answered = recorded.find(url)
    return web.find(url if answered is None else answered.url)
