"""``scrapy frontier label``: what it takes, how it asks, what it prints.

Questions go to standard error and to a terminal only; where standard input is none, it is read for
answers, a line each.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from frontier.labels.label_file import Label

    Output = tuple[Any, Callable[[], list[str]]]

ASKED = 10
"""Questions, unless -n says otherwise: a few minutes of a person's time."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that only this action has."""
    group = parser.add_argument_group(title="frontier label")
    for name, words in (("yes", "of the kind that is wanted"), ("no", "not of that kind")):
        group.add_argument(
            f"--{name}", action="append", metavar="URL", help=f"a page {words}; may be repeated"
        )


def check(args: list[str], opts: argparse.Namespace) -> None:
    """Raise UsageError for a --yes or --no that is no URL."""
    from frontier.urls.url_lists import url_fault

    for url in (*(opts.yes or ()), *(opts.no or ())):
        fault = url_fault(url)
        if fault is not None:
            raise UsageError(f"expected a URL after --yes and --no, found {url!r}, which {fault}")


def run(operands: list[str], opts: argparse.Namespace) -> Output:
    """Take answers from the command line, a terminal or standard input, and write them down."""
    from frontier.labels.questions import never_met

    directory = Path(operands[0])
    never_met(directory, ())  # an error before anybody is asked, where there is no crawl
    faults: list[str] = []
    if opts.yes or opts.no:
        labels = _named(directory, opts)
    elif sys.stdin.isatty():
        labels = _asked(directory, opts.n or ASKED)
    else:
        labels, faults = _piped(directory)
    unmet = never_met(directory, labels)
    said = {
        "labels": [one._asdict() for one in labels],
        "never_met": unmet,
        "not_understood": faults,
    }
    return said, lambda: _told(labels, unmet, faults, directory)


def exit_code(said: Any) -> int:
    """1 where a line was not understood."""
    return int(bool(said["not_understood"]))


def _named(directory: Path, opts: argparse.Namespace) -> list[Label]:
    from frontier.labels.label_file import Label, append_labels

    labels = [Label(url, wanted=True) for url in opts.yes or ()]
    labels += [Label(url, wanted=False) for url in opts.no or ()]
    append_labels(directory, labels)
    return labels


def _asked(directory: Path, n: int) -> list[Label]:
    from frontier.labels.label_file import append_labels
    from frontier.labels.questions import ask, questions

    labels = []
    try:
        for label in ask(questions(directory, n), _say, _hear):
            # At once: the crawl can use it, and Ctrl-C loses none.
            append_labels(directory, [label])
            labels.append(label)
    except KeyboardInterrupt:
        _say("")
    return labels


def _piped(directory: Path) -> tuple[list[Label], list[str]]:
    from frontier.labels.label_file import append_labels
    from frontier.labels.questions import read_answers

    labels, faults = read_answers(sys.stdin)
    if labels:
        append_labels(directory, labels)
    return labels, faults


def _say(line: str) -> None:
    from ranking.printing import say

    say([line], sys.stderr)


def _hear(prompt: str) -> str:
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _told(labels: list[Label], unmet: list[str], faults: list[str], directory: Path) -> list[str]:
    from frontier.labels.label_file import FILE

    wanted = sum(one.wanted for one in labels)
    lines = [f"{len(labels)} labels ({wanted} yes) written to {directory / FILE}"]
    if not labels:
        lines = ["No labels: nothing was written."]
    lines += [f"Not understood: {fault}" for fault in faults]
    lines += [f"The crawl has not met {url}; it counts once it has fetched it." for url in unmet]
    return lines
