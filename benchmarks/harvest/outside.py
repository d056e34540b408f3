r"""Any crawler beside ours, on the same pages: `python -m benchmarks outside`.

A recorded web is served through a proxy on this machine. Each command is run once for every topic
and draw, with the proxy in its environment, and the proxy's log is scored like a replay: against
the greedy oracle, in the same tables, with the same tests. Every request counts, repeated ones and
those for what nobody wants too; robots.txt does not, for a crawler that is polite should not pay
for it. A target counts once, and what was never recorded is told apart from what failed.

    python -m benchmarks outside --web web.warc.gz --topics topics.tsv --variant names \
        --command crawl-focused --command scrapy \
        --command 'mine=python my_crawler.py --seeds {seeds} --query {topic} --pages {budget}'
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from scrapy.settings import Settings

from benchmarks.children import BenchmarkError
from benchmarks.harvest.commands import (
    KNOWN,
    OURS,
    PLACEHOLDERS,
    Command,
    parse_command,
    run_command,
    values_of,
)
from frontier.lab.protocol.keywords import read_keywords, read_names
from frontier.lab.protocol.labels import read_labels
from frontier.lab.protocol.planning import NAMES, VARIANTS, Protocol, plan
from frontier.lab.replay.contestants import Setup, chosen_rows
from frontier.lab.replay.crawl import replay
from frontier.lab.replay.parsing import cache_directory, open_recording
from frontier.lab.replay.records import ALWAYS, FAILED, HIT, PAGE, REDIRECT, UNKNOWN, RunRecord
from frontier.lab.replay.webfile import AnswerKind
from frontier.lab.report.report import ORDER, kinds_of, make_report, web_note
from frontier.lab.report.tables import text_report, write_report
from frontier.plugin.recorded import parser_of
from frontier.urls.canonical import canonical_url
from frontier.urls.url_lists import read_seeds
from frontier.web.recorded_web import RecordedWeb
from frontier.web.serving import WebServer
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import IO

    from frontier.lab.protocol.labels import Labels
    from frontier.lab.protocol.planning import Plan
    from frontier.lab.replay.records import Task
    from frontier.lab.replay.webfile import WebFile
    from frontier.lab.report.report import LabReport


def main(arguments: Sequence[str]) -> int:
    """Run all crawlers on all topics and write the report; 1 if that was not possible."""
    given = parser().parse_args(arguments)

    try:
        commands = [parse_command(text) for text in given.command]
        report, written = _measured(commands, given)
    except (BenchmarkError, LinkRankError) as error:
        print(error, file=sys.stderr)
        return 1

    print("\n".join([*text_report(report), "", f"Written: {written}"]))
    return 0


def _measured(commands: Sequence[Command], given: argparse.Namespace) -> tuple[LabReport, Path]:
    labels, protocol = read_labels(given.topics), protocol_of(commands, given)
    with opened(protocol, labels, given) as (planned, recorded, web):
        runs, notes = _crawled(commands, planned, recorded, web, given)
        rows = _replayed_rows(given)
        runs += _replayed(planned, rows, web)
        about = web_note(web, planned, labels.bad)
    kinds = kinds_of([*(one.name for one in commands), *rows])
    kinds |= {OURS: ORDER} if OURS in kinds else {}
    reference = commands[0].name
    report = make_report(runs, protocol, [about], kinds, reference=reference, notes=[*notes, NOTE])
    return report, write_report(report, given.out)


@contextmanager
def opened(
    protocol: Protocol, labels: Labels, given: argparse.Namespace
) -> Iterator[tuple[Plan, RecordedWeb, WebFile]]:
    """The tasks, and the web for its server and for its judge."""
    cache = given.cache or cache_directory()
    with open_recording(given.web, *parser_of(Settings()), cache) as web:
        yield plan(web, labels, protocol), RecordedWeb(given.web), web


NOTE = (
    "Rows of crawlers are scored by the log of the server, robots.txt left out. "
    "The other rows are replays of the same tasks in the lab."
)


def protocol_of(commands: Sequence[Command], given: argparse.Namespace) -> Protocol:
    """What is asked for on the command line."""
    return Protocol(
        strategies=tuple(command.name for command in commands),
        variants=(given.variant,),
        budget=given.budget,
        draws=given.draws,
        part=given.part,
        topics=given.limit,
        fewest=given.min_pages,
        most=given.max_pages,
        seeds=read_seeds(str(given.seeds)).urls if given.seeds else (),
        keywords=read_keywords(given.keywords)[0] if given.keywords else {},
        names=read_names(given.names)[0] if given.names else {},
    )


def _crawled(
    commands: Sequence[Command],
    planned: Plan,
    recorded: RecordedWeb,
    web: WebFile,
    given: argparse.Namespace,
) -> tuple[list[RunRecord], list[str]]:
    by_name = {command.name: command for command in commands}
    records, notes = [], []
    for number, task in enumerate(planned.tasks, start=1):
        said = f"{task.strategy}, {task.topic}, draw {task.draw}"
        print(f"[{number}/{len(planned.tasks)}] {said}", file=sys.stderr, flush=True)
        record, told = crawl(by_name[task.strategy], task, recorded, web, given.timeout)
        records.append(record)
        if told:
            notes.append(f"{said}: {told}, after {len(record.outcomes):,} requests")
    return records, notes


def crawl(
    command: Command,
    task: Task,
    recorded: RecordedWeb,
    web: WebFile,
    timeout: float,
) -> tuple[RunRecord, str]:
    """One crawl of one command; its record, and what is to be told of its end."""
    log = RequestLog()
    with (
        TemporaryDirectory(prefix="outside-") as temporary,
        WebServer(recorded, log=cast("IO[str]", log)) as server,
    ):
        texts = [web.text(web.find(url)) for url in task.examples]
        values = values_of(as_recorded(task, recorded), texts, Path(temporary))
        told = run_command(command, values, server.url, log.count, timeout)
    return record_of(task, log.entries, recorded, web), told


def as_recorded(task: Task, recorded: RecordedWeb) -> Task:
    """The task with URLs as they were recorded: canonical ones are spelled as no server may know.

    An escaped asterisk and a bare one, say, are one canonical URL, but two to a server.
    """
    wanted = {*task.seeds, *task.examples}
    spelled = {
        canonical: url for url in recorded.urls() if (canonical := canonical_url(url)) in wanted
    }
    return replace(
        task,
        seeds=tuple(spelled.get(url, url) for url in task.seeds),
        examples=tuple(spelled.get(url, url) for url in task.examples),
    )


def _replayed_rows(given: argparse.Namespace) -> tuple[str, ...]:

    asked = [name for name in given.replay.split(",") if name]
    return chosen_rows((*asked, *ALWAYS))


def _replayed(planned: Plan, rows: Sequence[str], web: WebFile) -> list[RunRecord]:
    """The oracle and whatever else was asked for, for the same tasks, in the lab."""
    first = planned.tasks[0].strategy
    cases = [task for task in planned.tasks if task.strategy == first]
    return [replay(replace(task, strategy=row), web, Setup()) for row in rows for task in cases]


def parser() -> argparse.ArgumentParser:
    """Of the command line."""
    found = argparse.ArgumentParser(
        prog="python -m benchmarks outside",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="In a command:\n"
        + "\n".join(f"  {{{name}}}  {words}" for name, words in PLACEHOLDERS.items()),
    )
    add = found.add_argument
    add("--web", type=Path, nargs="+", required=True, metavar="WARC", help="recorded web")
    add("--topics", type=Path, required=True, metavar="FILE", help="labels: URL<TAB>topic")
    add(
        "--command",
        action="append",
        required=True,
        metavar="NAME[=COMMAND]",
        help=f"a crawler; known by name: {', '.join(KNOWN)}. The first is what others are "
        "compared with",
    )
    add("--replay", default="", metavar="NAME,...", help="orders to replay in the lab beside")
    add("--variant", choices=VARIANTS, default=NAMES, help=f"of the lab's tasks ({NAMES})")
    add("--seeds", type=Path, metavar="FILE", help="seeds of the web; else they are drawn")
    add("--names", type=Path, metavar="FILE", help="topic<TAB>name; else derived")
    add("--keywords", type=Path, metavar="FILE", help="topic<TAB>keywords; else derived")
    add("--budget", type=int, default=1500, help="requests that count")
    add("--draws", type=int, default=1, help="of seeds and examples, a topic")
    add("--part", choices=("development", "test", "all"), default="development")
    add("--limit", type=int, metavar="N", help="at most N topics")
    add("--min-pages", type=int, default=1, metavar="N", help="labelled pages of a topic")
    add("--max-pages", type=int, metavar="N", help="labelled pages of a topic")
    add("--timeout", type=float, default=900.0, metavar="S", help="seconds a crawl may take")
    add("--cache", type=Path, metavar="DIR", help="of parsed recordings")
    add("--out", type=Path, default=Path("outside"), metavar="DIR", help="for the report")
    return found


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
