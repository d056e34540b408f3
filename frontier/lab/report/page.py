"""The report of a lab run as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from frontier.lab.report.charts import MEASURES, curves_of, styles_of
from frontier.lab.report.drawing import chart
from frontier.lab.report.styling import CSS, PLAIN
from frontier.lab.report.tables import (
    LEGEND,
    REGRET,
    headline,
    marked,
    regret_table,
    tables_of,
    title,
)

if TYPE_CHECKING:
    from frontier.lab.report.metrics import Setting
    from frontier.lab.report.report import LabReport

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
_POLICY += "form-action 'none'"
"""What a browser may do with the page beside showing it: nothing. Names in it, which pages and
files chose, are escaped; if one were not, it still could neither run nor ask for anything."""


def page(report: LabReport) -> str:
    """The page as text."""
    styles = styles_of(report)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Lab run: {escape(', '.join(web.name for web in report.webs))}</title>",
        f"<style>{CSS}</style></head><body>",
        "<h1>Lab run</h1>",
        *_head(report),
        *(part for setting in report.settings for part in _section(report, setting, styles)),
        *_regret(report),
        "<h2>How to read this</h2>",
        *(f"<p>{escape(text)}</p>" for text in LEGEND),
        "<h2>Strategies</h2><dl>",
        *(
            f"<dt>{escape(marked(report, one.name))}</dt><dd>{escape(one.words)}</dd>"
            for one in report.entries
        ),
        "</dl>",
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _head(report: LabReport) -> Iterator[str]:
    first, *others = headline(report)
    yield f'<p class="soft">{escape(first)}</p>'
    yield "<ul>" + "".join(f"<li>{escape(line.strip())}</li>" for line in others) + "</ul>"
    for web in report.webs:
        yield f"<details><summary>Topics of {escape(web.name)}</summary><dl>"
        for side, names in (("development", web.development), ("test", web.test)):
            asked = [name if name in web.asked else f"({name})" for name in names]
            yield f"<dt>{side}</dt><dd>{escape(', '.join(asked) or 'none')}</dd>"
        yield '</dl><p class="soft">In brackets: not asked for in this run.</p></details>'


def _section(report: LabReport, setting: Setting, styles: dict[str, str]) -> Iterator[str]:
    yield f"<h2>{escape(title(report, setting))}</h2>"
    yield '<div class="charts">'
    yield from (_figure(report, setting, measure) for measure in MEASURES)
    yield "</div>"
    names = [row.strategy for row in report.table(setting)]
    classes = ["reference" if name == report.reference else report.kind(name) for name in names]
    dots = [_dot(styles.get(name, PLAIN)) for name in names]
    found, *others = tables_of(report, setting)
    yield _table(*found, classes, dots)
    yield "<details><summary>Compared with the oracle; failures and unrecorded URLs</summary>"
    yield from (_table(*one, classes) for one in others)
    yield "</details>"


def _figure(report: LabReport, setting: Setting, measure: str) -> str:
    name, lines, scale = curves_of(report, setting, measure)
    key = "".join(
        f"<li>{_dot(line.style)}{escape(line.name)}</li>" for line in lines if line.style != PLAIN
    )
    caption = f"Mean over topics; band: the middle half of the topics, of {report.reference}."
    return (
        f"<figure><h3>{measure.capitalize()}</h3>{chart(name, lines, scale)}"
        f'<ul class="key">{key}</ul><figcaption>{escape(caption)}</figcaption></figure>'
    )


def _dot(style: str) -> str:
    return f'<span class="dot {style}"></span>'


def _table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    classes: Sequence[str] = (),
    before: Sequence[str] = (),
) -> str:
    """A table; `before` is markup put before the first cell of each row."""
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = []
    for at, row in enumerate(rows):
        cells = [escape(cell) for cell in row]
        if before:
            cells[0] = before[at] + cells[0]
        marked_up = "".join(
            f'<td data-of="{escape(name)}">{cell}</td>'
            for name, cell in zip(head, cells, strict=True)
        )
        body.append(f'<tr class="{classes[at] if classes else ""}">{marked_up}</tr>')
    return (
        f'<div class="scroll"><table><thead><tr>{names}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _regret(report: LabReport) -> Iterator[str]:
    if report.regrets:
        yield "<h2>Regret</h2>"
        yield _table(*regret_table(report))
        yield f"<p>{escape(REGRET)}</p>"
