"""How a report and its charts look, by day and by night, on a screen and on paper."""

from __future__ import annotations

import re
from typing import Final

COLOURS: Final = ("c1", "c2", "c3", "c4", "c5", "c6", "c7")
"""Classes of strategies in charts, the reference first."""
PLAIN = "plain"
"""Class of the lines without a colour of their own: thin and grey."""
ORACLE_STYLE, TRUTH_STYLE = "best", "told"

_LIGHT: Final = """
--page: #ffffff; --ink: #1c2430; --soft: #5b6675; --line: #d9dee5; --zebra: #f5f7f9;
--plain: #b6bec9; --c1: #0b5fd0; --c2: #c8372d; --c3: #1d8a57; --c4: #a86a00; --c5: #7a44c4;
--c6: #00808f; --c7: #b0348a;
"""
_DARK: Final = """
--page: #12161c; --ink: #e6eaf0; --soft: #9aa6b5; --line: #2d3642; --zebra: #181e26;
--plain: #4d5867; --c1: #6cb0ff; --c2: #ff8a80; --c3: #5fd39a; --c4: #f0b648; --c5: #c0a0ff;
--c6: #4fd0de; --c7: #f58ccd;
"""
_AT_NIGHT: Final = "@media (prefers-color-scheme: dark) {{ {} }}\n"
_SHAPES: Final = """
.tick { font-size: 12px; }
.series polyline { fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linejoin: round; }
.series .band { fill: currentColor; opacity: .15; pointer-events: none; }
.series:hover polyline { stroke-width: 3.5; }
.series.plain polyline { stroke-width: 1; }
.series.c1 polyline { stroke-width: 2.8; }
.series.best polyline { stroke-dasharray: 7 4; }
.series.told polyline { stroke-dasharray: 2 3; }
.name text { fill: currentColor; font-size: 12.5px; }
.name.c1 text { font-weight: 700; }
.name line { stroke: currentColor; stroke-width: 1; opacity: .6; }
"""
_INKS: Final = (
    ".grid { stroke: var(--line); } .tick { fill: var(--soft); } .paper { fill: var(--page); } "
    ".best { color: var(--ink); } .told { color: var(--soft); } "
    + " ".join(f".{style} {{ color: var(--{style}); }}" for style in (PLAIN, *COLOURS))
)
"""Colours of a chart; whoever needs one finds it as `currentColor`."""


def _inked(palette: str) -> str:
    """The colours of a chart, without variables."""
    colours = dict(re.findall(r"(--\w+): (#\w+)", palette))
    return re.sub(r"var\((--\w+)\)", lambda name: colours[name[1]], _INKS)


PICTURE_CSS: Final = (
    "svg { font-family: system-ui, sans-serif; }"
    + _SHAPES
    + _inked(_LIGHT)
    + "\n"
    + _AT_NIGHT.format(_inked(_DARK))
)
"""Of a chart in a file of its own: without variables, which programs for drawing do not know."""

CSS: Final = (
    f":root {{ color-scheme: light dark; {_LIGHT} }}\n"
    + _AT_NIGHT.format(f":root {{ {_DARK} }}")
    + _SHAPES
    + _INKS
    + """
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1320px; padding: 24px 20px 60px; background: var(--page);
  color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif;
  overflow-wrap: anywhere; }
h1 { font-size: 26px; margin: 0 0 6px; }
h2 { font-size: 20px; margin: 44px 0 4px; }
h3 { font-size: 15px; margin: 0 0 4px; font-weight: 600; }
p { margin: 6px 0; max-width: 90ch; }
.soft, figcaption { color: var(--soft); }
figcaption { font-size: 13px; }
ul { padding-left: 20px; margin: 6px 0; }
.charts { display: grid; gap: 8px 28px; margin: 14px 0;
  grid-template-columns: repeat(auto-fit, minmax(min(460px, 100%), 1fr)); }
figure { margin: 0; min-width: 0; }
.key { display: flex; flex-wrap: wrap; gap: 0 16px; padding: 0; list-style: none; font-size: 13px; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
.scroll { overflow-x: auto; margin: 10px 0; }
table { border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 8px; text-align: right; white-space: nowrap; }
th { border-bottom: 1px solid var(--soft); font-weight: 600; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0;
  background: var(--page); }
tbody tr:nth-child(even) td { background: var(--zebra); }
tr.bound td { color: var(--soft); font-style: italic; }
tr.reference td { font-weight: 700; }
.dot { display: inline-block; width: 9px; height: 9px; border-radius: 50%; margin-right: 7px;
  background: currentColor; }
summary { cursor: pointer; color: var(--soft); margin: 8px 0; }
dt { font-weight: 600; margin-top: 8px; } dd { margin: 0 0 0 18px; max-width: 90ch; }
@media (max-width: 640px) {
  .tick { font-size: 15px; }
  thead { display: none; }
  table, tbody { display: block; }
  tr { display: flex; flex-wrap: wrap; gap: 0 14px; padding: 6px 0;
    border-bottom: 1px solid var(--line); }
  td, tbody tr:nth-child(even) td { padding: 0; background: none; white-space: normal; }
  td:first-child { flex-basis: 100%; font-weight: 600; }
  td:not(:first-child)::before { content: attr(data-of) " "; color: var(--soft); }
}
@media print { details > * { display: block; } }
"""
)
