r"""Any crawler beside ours, on the same pages: `python -m benchmarks outside`.

A recorded web is served through a proxy on this machine. Each command is run once for every topic
and draw, with the proxy in its environment, and the proxy's log is scored like a replay: against
the greedy oracle, in the same tables, with the same tests.

    python -m benchmarks outside --web web.warc.gz --topics topics.tsv --variant names \
        --command crawl-focused --command scrapy \
        --command 'mine=python my_crawler.py --seeds {seeds} --query {topic} --pages {budget}'
"""

from __future__ import annotations

import argparse
import sys
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, cast

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
from benchmarks.harvest.logs import RequestLog, record_of
from frontier.urls.canonical import canonical_url

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import IO

    from frontier.lab.protocol.labels import Labels
    from frontier.lab.protocol.planning import Plan, Protocol
    from frontier.lab.replay.records import RunRecord, Task
    from frontier.lab.replay.webfile import WebFile
    from frontier.lab.report.report import LabReport
    from frontier.web.recorded_web import RecordedWeb


def main(arguments: Sequence[str]) -> int:
    """Run all crawlers on all topics and write the report; 1 if that was not possible."""
    given = parser().parse_args(arguments)
    from ranking.errors import LinkRankError

    try:
        commands = [parse_command(text) for text in given.command]
        report, written = _measured(commands, given)
    except (BenchmarkError, LinkRankError) as error:
        print(error, file=sys.stderr)
        return 1
    from frontier.lab.report.tables import text_report

    print("\n".join([*text_report(report), "", f"Written: {written}"]))
    return 0


def _measured(commands: Sequence[Command], given: argparse.Namespace) -> tuple[LabReport, Path]:
    from frontier.lab.protocol.labels import read_labels
    from frontier.lab.report.report import ORDER, kinds_of, make_report, web_note
    from frontier.lab.report.tables import write_report

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
    from scrapy.settings import Settings

    from frontier.lab.protocol.planning import plan
    from frontier.lab.replay.parsing import cache_directory, open_recording
    from frontier.plugin.lab import parser_of
    from frontier.web.recorded_web import RecordedWeb

    cache = given.cache or cache_directory()
    with open_recording(given.web, *parser_of(Settings()), cache) as web:
        yield plan(web, labels, protocol), RecordedWeb(given.web), web


NOTE = (
    "Rows of crawlers are scored by the log of the server, robots.txt left out. "
    "The other rows are replays of the same tasks in the lab."
)


def protocol_of(commands: Sequence[Command], given: argparse.Namespace) -> Protocol:
    """What is asked for on the command line."""
    from frontier.lab.protocol.keywords import read_keywords, read_names
    from frontier.lab.protocol.planning import Protocol
    from frontier.urls.url_lists import read_seeds

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
    look: Callable[[Path], None] = lambda directory: None,
) -> tuple[RunRecord, str]:
    """One crawl of one command; its record, and what is to be told of its end.

    `look` is shown its directory before that is gone.
    """
    from frontier.web.serving import WebServer

    log = RequestLog()
    with (
        TemporaryDirectory(prefix="outside-") as temporary,
        WebServer(recorded, log=cast("IO[str]", log)) as server,
    ):
        texts = [web.text(web.find(url)) for url in task.examples]
        values = values_of(as_recorded(task, recorded), texts, Path(temporary))
        told = run_command(command, values, server.url, log.count, timeout)
        look(Path(temporary))
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
    from frontier.lab.replay.contestants import chosen_rows
    from frontier.lab.replay.records import ALWAYS

    asked = [name for name in given.replay.split(",") if name]
    return chosen_rows((*asked, *ALWAYS))


def _replayed(planned: Plan, rows: Sequence[str], web: WebFile) -> list[RunRecord]:
    """The oracle and whatever else was asked for, for the same tasks, in the lab."""
    from frontier.lab.replay.contestants import Setup
    from frontier.lab.replay.crawl import replay

    first = planned.tasks[0].strategy
    cases = [task for task in planned.tasks if task.strategy == first]
    return [replay(replace(task, strategy=row), web, Setup()) for row in rows for task in cases]


def parser() -> argparse.ArgumentParser:
    """Of the command line."""
    from frontier.lab.protocol.planning import NAMES, VARIANTS

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
