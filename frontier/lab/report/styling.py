"""How the page of a report looks, by day and by night, on a screen and on paper."""

from __future__ import annotations

from typing import Final

COLOURS: Final = ("c1", "c2", "c3", "c4", "c5", "c6", "c7")
"""Classes of strategies in charts, the reference first."""
ORACLE_STYLE, TRUTH_STYLE = "best", "told"

CSS: Final = """
:root {
  color-scheme: light dark;
  --page: #ffffff; --ink: #1c2430; --soft: #5b6675; --line: #d9dee5; --zebra: #f5f7f9;
  --plain: #b6bec9;
  --c1: #0b5fd0; --c2: #c8372d; --c3: #1d8a57; --c4: #a86a00; --c5: #7a44c4; --c6: #00808f;
  --c7: #b0348a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12161c; --ink: #e6eaf0; --soft: #9aa6b5; --line: #2d3642; --zebra: #181e26;
    --plain: #4d5867;
    --c1: #6cb0ff; --c2: #ff8a80; --c3: #5fd39a; --c4: #f0b648; --c5: #c0a0ff; --c6: #4fd0de;
    --c7: #f58ccd;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1320px; padding: 24px 20px 60px; background: var(--page);
  color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 26px; margin: 0 0 6px; }
h2 { font-size: 20px; margin: 44px 0 4px; }
h3 { font-size: 15px; margin: 0 0 4px; font-weight: 600; }
p { margin: 6px 0; max-width: 90ch; }
.soft, figcaption { color: var(--soft); }
figcaption { font-size: 13px; }
ul { padding-left: 20px; margin: 6px 0; }
.charts { display: grid; gap: 8px 28px; grid-template-columns: repeat(auto-fit, minmax(460px, 1fr));
  margin: 14px 0; }
figure { margin: 0; min-width: 0; }
svg { display: block; width: 100%; height: auto; overflow: visible; }
svg.whisker { display: inline-block; width: 100px; height: 16px; vertical-align: middle; }
.grid { stroke: var(--line); stroke-width: 1; }
.tick { fill: var(--soft); font-size: 12px; }
.series polyline { fill: none; stroke: var(--colour); stroke-width: 1.8; stroke-linejoin: round; }
.series .band { fill: var(--colour); opacity: 0; pointer-events: none; }
.series.c1 .band { opacity: .15; }
.series:hover .band { opacity: .25; }
.series:hover polyline { stroke-width: 3.5; }
.series.plain polyline { stroke-width: 1; }
.series.c1 polyline { stroke-width: 2.8; }
.series.best polyline { stroke-dasharray: 7 4; }
.series.told polyline { stroke-dasharray: 2 3; }
.name text { fill: var(--colour); font-size: 12.5px; }
.name.c1 text { font-weight: 700; }
.name line { stroke: var(--colour); stroke-width: 1; opacity: .6; }
.plain { --colour: var(--plain); } .best { --colour: var(--ink); } .told { --colour: var(--soft); }
.c1 { --colour: var(--c1); } .c2 { --colour: var(--c2); } .c3 { --colour: var(--c3); }
.c4 { --colour: var(--c4); } .c5 { --colour: var(--c5); } .c6 { --colour: var(--c6); }
.c7 { --colour: var(--c7); }
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
  background: var(--colour, transparent); }
.whisker .zero { stroke: var(--soft); } .whisker .span { stroke: var(--ink); stroke-width: 2; }
.whisker circle { fill: var(--ink); }
summary { cursor: pointer; color: var(--soft); margin: 8px 0; }
dt { font-weight: 600; margin-top: 8px; } dd { margin: 0 0 0 18px; max-width: 90ch; }
@media print { details > * { display: block; } }
"""
