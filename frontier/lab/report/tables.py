"""The figures of a lab run as tables: text for a terminal, Markdown for a page, TSV for programs.

One set of cells feeds them all. Rows stand in the order of their nAUC; rows that see labels and
rows of other projects are marked, for they are there to be compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

from frontier.formatting import table
from frontier.lab.protocol.planning import counted
from frontier.lab.report.metrics import HARVEST_AT, RECALL_AT, figure_names
from frontier.lab.report.regret import AS_CONFIGURED, CAUSES, IDEAL, TOGETHER
from frontier.lab.report.report import BOUND, PEER
from frontier.lab.report.summary import COMPARED

if TYPE_CHECKING:
    from frontier.lab.report.metrics import Setting
    from frontier.lab.report.report import LabReport
    from frontier.lab.report.summary import Row

NOTHING: Final = "-"
MARKS: Final = {BOUND: "sees labels", PEER: "other code"}
QUALITY: Final[dict[str, str]] = {
    **{f"harvest_{n}": f"HR{n}" for n in HARVEST_AT},
    **{f"recall_{k}t": f"R@{k if k > 1 else ''}T" for k in RECALL_AT},
    "nauc": "nAUC",
}
COURSE: Final[dict[str, str]] = {
    **{f"harvest_{n}_of_oracle": f"HR{n}/best" for n in HARVEST_AT},
    "pages_to_50": "to 50 %",
    "pages_to_80": "to 80 %",
    "recall": "recall",
}
COST: Final[dict[str, str]] = {
    "requests": "requests",
    "failed": "failed",
    "not_recorded": "unrecorded",
    "nauc_most": "nAUC, most",
    "recall_most": "recall, most",
    "seconds": "virtual s",
}
LEGEND: Final = (
    "HRn: targets among the first n requests, divided by n; HRn/best: divided by the greedy "
    "oracle's. R@kT: recall after k times as many requests as there are targets. nAUC: area under "
    "the recall curve, divided by the oracle's; sd: over topics. *: mean over those topics only "
    "whose figure the budget reaches.",
    "to 50 %: requests until half of the targets were found, median over topics (-: most topics "
    "never got there). unrecorded: requests for URLs that were not recorded, which count as "
    "irrelevant; most: the figure if all of them had been targets. virtual s: simulated time.",
    "Differences are means over topics of row minus reference in nAUC, with a 95 % bootstrap "
    "interval; p is Wilcoxon's signed rank test, two-sided and exact; Holm: corrected for the "
    "number of rows.",
)
REGRET: Final = (
    f"{IDEAL}: one request at a time, a re-rank after every page, no delays. Each loss is measured "
    f"with that cause alone; {TOGETHER}: loss of all three beyond the sum (negative: less)."
)


Table = tuple[list[str], list[list[str]]]
"""Head and cells."""


def tables_of(report: LabReport, setting: Setting) -> list[Table]:
    """What was found how soon; compared with the oracle; failures and unrecorded URLs."""
    rows = report.table(setting)
    compared = f"minus {report.reference} [95 %]"
    head = ["strategy", *QUALITY.values(), "sd", compared, "p", "Holm"]
    others = (
        (["strategy", *names.values()], [_cells(report, row, names) for row in rows])
        for names in (COURSE, COST)
    )
    return [(head, [_quality(report, row) for row in rows]), *others]


def text_report(report: LabReport) -> list[str]:
    """Lines for a terminal."""
    lines = [*headline(report), ""]
    for setting in report.settings:
        lines += [f"{title(report, setting)}", ""]
        for head, rows in tables_of(report, setting):
            lines += [*table(head, rows, left=(0,)), ""]
    if report.regrets:
        lines += [*table(*regret_table(report), left=(0,)), REGRET, ""]
    return [*lines, *LEGEND]


def markdown_report(report: LabReport) -> str:
    """The same in Markdown."""
    parts = ["# Lab run", *map(_plain, headline(report))]
    for setting in report.settings:
        parts.append(f"## {_plain(title(report, setting))}")
        parts += [_markdown(*one) for one in tables_of(report, setting)]
    if report.regrets:
        parts += ["## Regret", _markdown(*regret_table(report)), REGRET]
    parts += [*LEGEND, "## Strategies"]
    parts += [
        f"- **{_plain(one.name)}**{_mark(one.kind)}: {_plain(one.words)}" for one in report.entries
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def tsv_report(report: LabReport) -> str:
    """One line a strategy and setting, all figures: mean, sd, median, n, and differences."""
    measures = ("mean", "sd", "median", "n")
    differences = ("mean", "low", "high", "p", "holm", "n")
    head = ["web", "variant", "strategy", "kind"]
    head += [f"{name}:{measure}" for name in figure_names() for measure in measures]
    head += [f"{name}-reference:{measure}" for name in COMPARED for measure in differences]
    lines = ["\t".join(head)]
    for row in report.rows:
        cells = [*row.setting, row.strategy, report.kind(row.strategy)]
        cells += _values(row.averages, figure_names(), measures)
        cells += _values(row.against, COMPARED, differences)
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n"


def title(report: LabReport, setting: Setting) -> str:
    """What a table is about."""
    topics = {run.key.topic for run in report.runs if run.setting == setting}
    return f"{setting.web}, {setting.variant}: {counted(len(topics), 'topic')}"


def headline(report: LabReport) -> Iterator[str]:
    """What was run, in a few lines."""
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
    if report.unscored:
        lost = counted(len(report.unscored), "run")
        yield f"not scored, for the greedy oracle's run is missing: {lost}"
    yield from report.notes


def regret_table(report: LabReport) -> Table:
    """What host limits, concurrency and stale scores cost."""
    rows = []
    for one in report.regrets:
        counts = one.ideal, one.found, one.ideal - one.found, *one.lost.values()
        name = f"{one.web}, {one.variant}, {one.strategy}"
        rows.append([name, *(f"{count:.1f}" for count in counts)])
    return ["targets found a run", IDEAL, AS_CONFIGURED, "lost", *CAUSES.values(), TOGETHER], rows


def marked(report: LabReport, strategy: str) -> str:
    """Name of a row, with what it is if it is none of ours."""
    return strategy + _mark(report.kind(strategy))


def _mark(kind: str) -> str:
    return f" ({MARKS[kind]})" if kind in MARKS else ""


def _quality(report: LabReport, row: Row) -> list[str]:
    nauc, one = row.averages.get("nauc"), row.against.get("nauc")
    sd = NOTHING if nauc is None or nauc.sd is None else f"{nauc.sd:.3f}"
    cells = [*_cells(report, row, QUALITY), sd]
    if one is None:
        return [*cells, NOTHING, NOTHING, NOTHING]
    interval = f" [{one.low:+.3f}, {one.high:+.3f}]" if None not in (one.low, one.high) else ""
    held = NOTHING if one.holm is None else chance(one.holm)
    return [*cells, f"{one.mean:+.3f}{interval}", chance(one.p), held]


def chance(p: float) -> str:
    """A p value as it is read: three decimals, or below what they can say."""
    return "<.001" if p < 0.0005 else f"{p:.3f}"


def _cells(report: LabReport, row: Row, names: Iterable[str]) -> list[str]:
    return [marked(report, row.strategy), *(_cell(row, name) for name in names)]


def _cell(row: Row, name: str) -> str:
    average = row.averages.get(name)
    value = average and (average.median if name in _MEDIANS else average.mean)
    if average is None or value is None:
        return NOTHING
    if name in _WHOLE or name in _MEDIANS:
        return f"{value:,.0f}"
    return f"{value:.3f}" + "*" * (average.n < len(row.topics))


_WHOLE = {"requests", "failed", "not_recorded", "seconds"}
_MEDIANS = {"pages_to_50", "pages_to_80"}


def _values(
    found: Mapping[str, object], names: Sequence[str], measures: Sequence[str]
) -> list[str]:
    return [
        "" if value is None else f"{value:.6g}"
        for name in names
        for measure in measures
        for value in [getattr(found.get(name), measure, None)]
    ]


def _plain(text: str) -> str:
    """Text of files and of the web in Markdown, which lets HTML through, links and pictures too."""
    return escape(text, quote=False).replace("](", "]\\(")


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [_row(head), "|---" + "|---:" * (len(head) - 1) + "|"]
    return "\n".join([*lines, *map(_row, rows)])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_plain(cell).replace("|", "\\|") for cell in cells) + " |"
