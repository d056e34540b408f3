"""``scrapy frontier label``: arguments, questions and output.

Questions go to standard error, answers come from standard input.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import TYPE_CHECKING, Any

from frontier.plugin.commands.base import JOBDIR, Output, action, argument, positive, print_note

if TYPE_CHECKING:
    from pathlib import Path

    from frontier.labels.label_file import Label


def _url(text: str) -> str:
    from frontier.urls.url_lists import url_fault

    fault = url_fault(text)
    if fault is not None:
        raise argparse.ArgumentTypeError(f"expected a URL, found {text!r}, which {fault}")
    return text


@action(
    "label",
    JOBDIR,
    argument("-n", type=positive, metavar="N", default=10, help="how many questions"),
    argument(
        "--at-random",
        action="store_true",
        help="ask about pages drawn by chance alone, and tell the harvest rate by all answers",
    ),
    *(
        argument(
            option,
            action="append",
            type=_url,
            metavar="URL",
            help=f"a page {words}, instead of questions; may be repeated",
        )
        for option, words in (("--yes", "of the kind that is wanted"), ("--no", "not of that kind"))
    ),
)
def label(opts: argparse.Namespace) -> Output:
    """Ask you about pages whose label would help most.

    A running crawl learns from the answers.
    """
    from frontier.labels.questions import never_met

    directory = opts.directory
    never_met(directory, ())  # raises before the first question if there is no crawl
    labels = _named(directory, opts) if opts.yes or opts.no else _asked(directory, opts)
    unmet = never_met(directory, labels)
    document: dict[str, Any] = {
        "labels": [label._asdict() for label in labels],
        "never_met": unmet,
    }
    lines = _written(labels, unmet, directory)
    if opts.at_random:
        lines += _harvest_rate(directory, document)
    return Output(document, lambda: lines)


def _named(directory: Path, opts: argparse.Namespace) -> list[Label]:
    from frontier.labels.label_file import Label, append_labels

    labels = [Label(url, wanted=True) for url in opts.yes or ()]
    labels += [Label(url, wanted=False) for url in opts.no or ()]
    append_labels(directory, labels)
    return labels


def _asked(directory: Path, opts: argparse.Namespace) -> list[Label]:
    from frontier.labels.label_file import append_labels
    from frontier.labels.questions import ask, questions

    labels = []
    try:
        asked = questions(directory, opts.n, at_random=opts.at_random)
        for label in ask(asked, print_note, _answer_to):
            # At once, so that the crawl can use it and Ctrl-C loses none.
            append_labels(directory, [label])
            labels.append(label)
    except KeyboardInterrupt:
        print_note("")
    return labels


def _harvest_rate(directory: Path, document: dict[str, Any]) -> list[str]:
    """The harvest rate by all labels so far."""
    from frontier.inspection.rendering import harvest_rate_text
    from frontier.inspection.reports import HarvestRateReport
    from frontier.labels.questions import rate_in

    rate = HarvestRateReport.of(rate_in(directory))
    document["harvest_rate"] = rate and rate.as_dict()
    command = f"scrapy frontier label {shlex.quote(str(directory))} --at-random"
    return [f"Harvest rate {harvest_rate_text(rate, command)}"]


def _answer_to(prompt: str) -> str:
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _written(labels: list[Label], unmet: list[str], directory: Path) -> list[str]:
    from frontier.labels.label_file import FILE

    wanted = sum(label.wanted for label in labels)
    lines = [f"{len(labels)} labels ({wanted} yes) written to {directory / FILE}"]
    if not labels:
        lines = ["No labels: nothing was written."]
    lines += [f"The crawl has not met {url}; the label counts once it is fetched." for url in unmet]
    return lines
