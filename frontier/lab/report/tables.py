"""The figures of a lab run as tables: text for a terminal, Markdown for a page, TSV for programs.

One set of cells feeds them all. Rows stand in the order of their nAUC; rows that see labels and
rows of other projects are marked, for they are there to be compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Final

from frontier.inspection.formatting import table
from frontier.lab.protocol.planning import counted
from frontier.lab.replay.regret_causes import CAUSES
from frontier.lab.report.entries import BOUND, PEER
from frontier.lab.report.metrics import HARVEST_AT, RECALL_AT, figure_names
from frontier.lab.report.regret import AS_CONFIGURED, IDEAL, TOGETHER
from frontier.lab.report.summary import COMPARED

if TYPE_CHECKING:
    from frontier.lab.report.report import LabReport
    from frontier.lab.report.scoring import Setting
    from frontier.lab.report.summary import Average, Row

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
    "HRn: targets among the first n requests / n; HRn/best: the same by the greedy oracle's. "
    "R@kT: recall after k times as many requests as there are targets. nAUC: area under the "
    "recall curve by the oracle's; sd: over topics. *: of the topics only that the budget is "
    "enough for.",
    "to 50 %: requests until half of the targets were found, median over topics (- where most "
    "never got there). unrecorded: requests for what the recording never held, which counts as "
    "worthless; most: the figure if all of it had been targets. Seconds are the simulated "
    "fetcher's.",
    "Differences are means over topics of row minus reference in nAUC, with a 95 % bootstrap "
    "interval; p is Wilcoxon's signed rank test, two-sided and exact; Holm: corrected for the "
    "number of rows.",
)


REGRET: Final = (
    f"{IDEAL}: one request at a time, a re-rank after every page, no delays. Each cause alone is "
    f"put back into that; {TOGETHER}: what they lose beyond their sum, or spare."
)


def quality_table(report: LabReport, setting: Setting) -> tuple[list[str], list[list[str]]]:
    """Head and cells of what each strategy found how soon."""
    compared = f"minus {report.reference} [95 %]"
    head = ["strategy", *QUALITY.values(), "sd", compared, "p", "Holm"]
    return head, [_quality(report, row) for row in report.table(setting)]


def course_table(report: LabReport, setting: Setting) -> tuple[list[str], list[list[str]]]:
    """Head and cells of how far each strategy came, beside the best there is."""
    return ["strategy", *COURSE.values()], [
        [marked(report, row.strategy), *_cells(row, COURSE)] for row in report.table(setting)
    ]


def cost_table(report: LabReport, setting: Setting) -> tuple[list[str], list[list[str]]]:
    """Head and cells of what was asked for in vain, and what nobody can know."""
    return ["strategy", *COST.values()], [
        [marked(report, row.strategy), *_cells(row, COST)] for row in report.table(setting)
    ]


TABLES: Final = (quality_table, course_table, cost_table)


def text_report(report: LabReport) -> list[str]:
    """Lines for a terminal."""
    lines = [*headline(report), ""]
    for setting in report.settings:
        lines += [f"{title(report, setting)}", ""]
        for make in TABLES:
            head, rows = make(report, setting)
            lines += [*table(head, rows, left=(0,)), ""]
    if report.regrets:
        lines += [*table(*regret_table(report), left=(0,)), REGRET, ""]
    return [*lines, *LEGEND]


def markdown_report(report: LabReport) -> str:
    """The same in Markdown."""
    parts = ["# Lab run", *map(_plain, headline(report))]
    for setting in report.settings:
        parts.append(f"## {_plain(title(report, setting))}")
        parts += [_markdown(*make(report, setting)) for make in TABLES]
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
        f"scrapy-linkrank {report.library}; {report.budget:,} requests a run, "
        f"{counted(report.draws, 'draw')} a topic, {report.part} topics; "
        f"{counted(len(report.runs), 'run')}"
    )
    for web in report.webs:
        yield f"{web.name}: {web.recorded:,} URLs recorded; {web.sides}"
        yield from (f"  left out, {line}" for line in web.dropped)
        yield from (f"  seed not recorded: {url}" for url in web.lost)
        yield from (f"  labels, {line}" for line in web.bad)
    if report.unscored:
        lost = counted(len(report.unscored), "run")
        yield f"left out for want of the oracle's run for the same task: {lost}"
    yield from report.notes


def regret_table(report: LabReport) -> tuple[list[str], list[list[str]]]:
    """Head and cells of what politeness, batching and stale scores cost."""
    head = ["targets found a run", IDEAL, AS_CONFIGURED, "lost", *CAUSES, TOGETHER]
    rows = [
        [
            f"{one.web}, {one.variant}, {one.strategy}",
            *(f"{value:.1f}" for value in (one.ideal, one.found, one.total, *one.lost.values())),
        ]
        for one in report.regrets
    ]
    return head, rows


def marked(report: LabReport, strategy: str) -> str:
    """Name of a row, with what it is if it is none of ours."""
    return strategy + _mark(report.kind(strategy))


def _mark(kind: str) -> str:
    return f" ({MARKS[kind]})" if kind in MARKS else ""


def _quality(report: LabReport, row: Row) -> list[str]:
    cells = [marked(report, row.strategy)]
    cells += _cells(row, QUALITY)
    nauc = row.averages.get("nauc")
    cells.append(NOTHING if nauc is None or nauc.sd is None else f"{nauc.sd:.3f}")
    return [*cells, *_compared(row)]


def _compared(row: Row) -> tuple[str, str, str]:
    one = row.against.get("nauc")
    if one is None:
        return NOTHING, NOTHING, NOTHING
    interval = f" [{one.low:+.3f}, {one.high:+.3f}]" if None not in (one.low, one.high) else ""
    held = NOTHING if one.holm is None else chance(one.holm)
    return f"{one.mean:+.3f}{interval}", chance(one.p), held


def chance(p: float) -> str:
    """A p value as it is read: three decimals, or below what they can say."""
    return "<.001" if p < 0.0005 else f"{p:.3f}"


def _cells(row: Row, names: Iterable[str]) -> list[str]:
    return [_cell(row, name) for name in names]


def _cell(row: Row, name: str) -> str:
    average = row.averages.get(name)
    if name in _WAYS:
        return _WAYS[name](average)
    partly = average is not None and average.n < len(row.topics)
    return _share(average) + "*" * partly


def _share(average: Average | None) -> str:
    return NOTHING if average is None else f"{average.mean:.3f}"


def _whole(average: Average | None) -> str:
    return NOTHING if average is None else f"{average.mean:,.0f}"


def _middle(average: Average | None) -> str:
    return NOTHING if average is None or average.median is None else f"{average.median:,.0f}"


_WAYS: Final[dict[str, Callable[[Average | None], str]]] = {
    **dict.fromkeys(("requests", "failed", "not_recorded", "seconds"), _whole),
    **dict.fromkeys(("pages_to_50", "pages_to_80"), _middle),
}


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
