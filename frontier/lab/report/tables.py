"""The table of a lab run, for a terminal and a browser, and the files of a run.

Rows are ordered by nAUC; rows that see labels and rows of other projects are marked, because they
are there for comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from frontier.errors import LabError
from frontier.formatting import counted, table
from frontier.lab.report.metrics import HARVEST_AT
from frontier.lab.report.report import BOUND, PEER, results_text
from frontier.watch.page import put_together
from ranking.errors import OfflineInputError
from ranking.offline.files import new_file

if TYPE_CHECKING:
    from pathlib import Path

    from frontier.lab.report.metrics import LabSetting
    from frontier.lab.report.report import LabReport
    from frontier.lab.report.summary import Row

PAGE: Final = "results.html"
STEPS: Final = 100
NOTHING: Final = "-"
MARKS: Final = {BOUND: "sees labels", PEER: "other code"}
COLUMNS: Final[dict[str, str]] = {
    **{f"harvest_{n}": f"HR{n}" for n in HARVEST_AT},
    "recall": "recall",
    "not_recorded": "unrecorded",
}
WHOLE: Final = {"not_recorded"}
LEGEND: Final = (
    "nAUC: area under the recall curve, divided by the greedy oracle's; sd: over topics. HRn: "
    "targets among the first n requests, divided by n. *: mean over those topics only whose figure "
    "the budget reaches. unrecorded: requests for URLs that were not recorded, which count as "
    "irrelevant.",
    "Differences are means over topics of row minus reference in nAUC, with a 95 % bootstrap "
    "interval. results.json has all figures.",
)


def write_report(report: LabReport, folder: Path) -> Path:
    """Write `results.html`, for a browser, and `results.json`, whose path is returned.

    Raises LabError where they cannot be written.
    """
    html, _ = put_together(page_data(report), "Strategies compared", "lab.js")
    write_results(html, folder, PAGE)
    return write_results(results_text(report), folder)


def write_results(text: str, folder: Path, name: str = "results.json") -> Path:
    """Write a file of results and return its path; an old file is replaced by a complete one.

    Raises LabError where it cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with new_file(folder / name) as file:
            file.write(text.encode())
    except (OSError, OfflineInputError) as error:
        why = getattr(error, "strerror", None) or error
        raise LabError(
            f"expected a folder for the results that can be written, but {folder} cannot: {why}. "
            f"Name another one"
        ) from error
    return folder / name


def page_data(report: LabReport) -> dict[str, Any]:
    """The data of the page: for every table its cells, and the mean recall of its strategies.

    Recall is given at STEPS + 1 numbers of requests, from 0 to the budget.
    """
    budget = report.protocol.budget
    tables = []
    for setting in report.settings:
        head, rows = cells_of(report, setting)
        curves = [
            {
                "strategy": row.strategy,
                "bound": report.kind(row.strategy) == BOUND,
                "recall": _mean_recall(report, row, budget),
            }
            for row in report.table(setting)
        ]
        about = {"title": title(report, setting), "budget": budget}
        tables.append({**about, "head": head, "rows": rows, "curves": curves})
    return {"headline": list(headline(report)), "tables": tables, "legend": LEGEND}


def _mean_recall(report: LabReport, row: Row, budget: int) -> list[float]:
    traces = [
        run.trace
        for run in report.runs
        if (run.setting, run.key.strategy) == (row.setting, row.strategy)
    ]
    steps = [round(budget * step / STEPS) for step in range(STEPS + 1)]
    return [sum(trace.hits_by(n) / trace.targets for trace in traces) / len(traces) for n in steps]


def text_report(report: LabReport) -> list[str]:
    """Lines for a terminal."""
    lines = [*headline(report), ""]
    for setting in report.settings:
        head, rows = cells_of(report, setting)
        lines += [title(report, setting), "", *table(head, rows, left=(0,)), ""]
    return [*lines, *LEGEND]


def headline(report: LabReport) -> Iterator[str]:
    """The runs in a few lines."""
    yield (
        f"scrapy-linkrank {report.library}; {report.protocol.budget:,} requests a run, "
        f"{counted(report.protocol.draws, 'draw')} a topic, {report.protocol.part} topics; "
        f"{counted(len(report.runs), 'run')}"
    )
    for web in report.webs:
        test = len({*web.asked} & {*web.test})
        yield (
            f"{web.name}: {web.recorded:,} URLs recorded; "
            f"{counted(len(web.asked) - test, 'development topic')}, {counted(test, 'test topic')}"
        )
        yield from (f"  left out, {line}" for line in web.dropped)
        yield from (f"  seed not recorded: {url}" for url in web.lost)
        yield from (f"  labels, {line}" for line in web.bad)
    yield from report.notes


def title(report: LabReport, setting: LabSetting) -> str:
    """The title of a table."""
    topics = {run.key.topic for run in report.runs if run.setting == setting}
    return f"{setting.web}, {setting.variant}: {counted(len(topics), 'topic')}"


def cells_of(report: LabReport, setting: LabSetting) -> tuple[list[str], list[list[str]]]:
    """Head and rows of a table."""
    compared = f"minus {report.reference} [95 %]"
    head = ["strategy", "nAUC", "sd", compared, *COLUMNS.values()]
    return head, [_cells(report, row) for row in report.table(setting)]


def _cells(report: LabReport, row: Row) -> list[str]:
    nauc, against = row.averages.get("nauc"), row.against
    deviation = NOTHING if nauc is None or nauc.sd is None else f"{nauc.sd:.3f}"
    cells = [row.strategy + _mark(report.kind(row.strategy)), _cell(row, "nauc"), deviation]
    if against is None:
        cells.append(NOTHING)
    else:
        low, high = against.low, against.high
        interval = "" if low is None or high is None else f" [{low:+.3f}, {high:+.3f}]"
        cells.append(f"{against.mean:+.3f}{interval}")
    return [*cells, *(_cell(row, name) for name in COLUMNS)]


def _cell(row: Row, name: str) -> str:
    average = row.averages.get(name)
    if average is None:
        return NOTHING
    if name in WHOLE:
        return f"{average.mean:,.0f}"
    return f"{average.mean:.3f}" + "*" * (average.n < len(row.topics))


def _mark(kind: str) -> str:
    return f" ({MARKS[kind]})" if kind in MARKS else ""
