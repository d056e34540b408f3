"""Draws docs/harvest.svg, the curves of the README, from the results of `scrapy lab run`.

    python tools/harvest_picture.py lab/results.json docs/harvest.svg

CONTRIBUTING.md has the lab run whose results are drawn.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

CURVES = {
    "apprentice": ("this project (apprentice)", "#2f6fde", ""),
    "best-first": ("best-first", "#c2570c", ""),
    "bfs": ("breadth-first", "#7a7f87", ""),
    "greedy-oracle": ("ideal order (oracle)", "#7a7f87", ' stroke-dasharray="4 4"'),
}
"""Strategy -> name, colour, dashes; greys and a blue that show on white and on black."""
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 720, 360, 52, 30, 190, 44
POINTS = 50


def recalls(results: dict[str, object]) -> tuple[dict[str, list[float]], int, int]:
    """Strategy -> share of the targets found at each of POINTS steps, the mean of all runs."""
    found: dict[str, list[list[float]]] = defaultdict(list)
    runs = results["runs"]
    assert isinstance(runs, list)
    budget = max(run["budget"] for run in runs)
    steps = [round(budget * n / POINTS) for n in range(POINTS + 1)]
    for run in runs:
        hits, targets = run["hits"], run["targets"]
        found[run["strategy"]].append([sum(at <= n for at in hits) / targets for n in steps])
    means = {
        name: [sum(column) / len(column) for column in zip(*rows, strict=True)]
        for name, rows in found.items()
    }
    return means, budget, len({run["topic"] for run in runs})


def svg(results: dict[str, object]) -> str:
    """The picture; its colours suit light and dark pages."""
    means, budget, topics = recalls(results)
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM

    def x(step: float) -> float:
        return round(LEFT + (right - LEFT) * step, 1)

    def y(share: float) -> float:
        return round(bottom - (bottom - TOP) * share, 1)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="system-ui, sans-serif" font-size="13" fill="#7a7f87" role="img">',
        "<title>Relevant pages found, by requests made, for four strategies</title>",
        f'<text x="{LEFT - 40}" y="16">relevant pages found '
        f"(mean of {topics} topics, ten documentation sites)</text>",
    ]
    lines += [
        f'<path d="M{LEFT} {y(part)}H{right}" stroke="#7a7f87" stroke-opacity=".3"/>'
        f'<text x="{LEFT - 8}" y="{y(part) + 4}" text-anchor="end">{part:.0%}</text>'
        f'<text x="{x(part)}" y="{bottom + 20}" text-anchor="middle">'
        f"{round(budget * part):,}</text>"
        for part in (0, 0.25, 0.5, 0.75, 1)
    ]
    lines.append(f'<text x="{right}" y="{bottom + 38}" text-anchor="end">requests</text>')
    for name, (label, colour, dashes) in CURVES.items():
        points = [f"{x(n / POINTS)} {y(share)}" for n, share in enumerate(means[name])]
        lines.append(
            f'<path d="M{"L".join(points)}" fill="none" stroke="{colour}" stroke-width="2.5"'
            f'{dashes}/><text x="{right + 8}" y="{y(means[name][-1]) + 4}" fill="{colour}">'
            f"{label}</text>"
        )
    return "\n".join([*lines, "</svg>", ""])


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:])
    target.write_text(svg(json.loads(source.read_text(encoding="utf-8"))), encoding="utf-8")
