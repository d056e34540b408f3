"""Ranking again after the crawl grew: to 1e-4, enough for the order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from benchmarks.ranking import runs
from benchmarks.ranking.jobs import GROWTH, SEEDS, TENTH, TOPIC, UNIFORM, Job, grown
from benchmarks.ranking.report import Section, Verdict
from benchmarks.ranking.runs import GRAPHBLAS, IGRAPH, LOOSE, NETWORKX, POWER, PUSHES, SWEEPS, WARM
from benchmarks.report import AT_LEAST, AT_MOST

if TYPE_CHECKING:
    from benchmarks.ranking.plan import Plan
    from benchmarks.ranking.runs import Result

_TOL = 1e-4
_LITTLE, _USUAL = 0.001, 0.01
_OTHER_TOOLS = (IGRAPH, GRAPHBLAS, NETWORKX)


def reranks(plan: Plan) -> list[Section]:
    """Growth from 0.1 to 10 %: ours as it chooses, each of its two ways alone, the peers."""
    sections, by_share = [], {}
    for share in GROWTH:
        job = _job(plan, share, TOPIC)
        tools = [WARM, PUSHES, SWEEPS, POWER]
        if share == _USUAL:
            tools += [LOOSE, *_OTHER_TOOLS]
        size = plan.prepare(job)
        turns = plan.turns if share in (_LITTLE, _USUAL) else replace(plan.turns, rounds=1)
        by_share[share] = runs.compare(job, tools, turns)
        title = f"PPR again after +{share:.1%} to {_TOL:g}, warm: {size}"
        sections.append(Section(title, list(by_share[share].values())))
    sections[-1].verdicts = _claims(by_share[_LITTLE], by_share[_USUAL])
    sections[-1].verdicts += [_crossover(share, found) for share, found in by_share.items()]
    return sections


def other_restarts(plan: Plan) -> list[Section]:
    """The usual growth with a restart vector that never changes, and with one that always does."""
    sections = []
    for restart in (SEEDS, UNIFORM):
        job = _job(plan, _USUAL, restart)
        size = plan.prepare(job)
        found = runs.compare(job, [WARM, POWER], plan.turns)
        what = f"warm +1 %, restart {restart}, by scipy's warm time"
        ratio = found[POWER].total / found[WARM].total
        title = f"Again after +{_USUAL:.1%}, restart {restart}: {size}"
        sections.append(
            Section(title, list(found.values()), [Verdict(what, ratio, "x", AT_LEAST, 11)])
        )
    return sections


def same_change(plan: Plan) -> list[Section]:
    """As many new pages in a tenth of the graph: a change costs by itself, not by the graph."""
    if plan.pages == TENTH:
        return []
    small = Job(f"synthetic-{TENTH}", grown(TENTH, _USUAL), "ppr", TOPIC, _TOL, TENTH)
    big = _job(plan, _LITTLE, TOPIC)
    section = Section(f"PPR again after +1 % of the tenth: {plan.prepare(small)}")
    before = runs.compare(small, [WARM, POWER], plan.turns)
    after = runs.compare(big, [WARM, POWER], plan.turns)
    section.results = list(before.values())
    section.verdicts = [
        Verdict(
            "1,000 new pages, in a 10x larger graph",
            after[WARM].total / before[WARM].total,
            "x the time",
            note=f"scipy: {after[POWER].total / before[POWER].total:.0f} x",
        )
    ]
    return [section]


def _job(plan: Plan, share: float, restart: str) -> Job:
    task = "pagerank" if restart == UNIFORM else "ppr"
    return Job(plan.graph, grown(plan.pages, share), task, restart, _TOL, plan.pages)


def _claims(little: dict[str, Result], usual: dict[str, Result]) -> list[Verdict]:
    ours = usual[WARM].total
    igraph = usual[IGRAPH]
    others = [usual[name] for name in _OTHER_TOOLS if not usual[name].cannot]
    fastest = min(others, key=lambda one: one.total, default=None)
    return [
        Verdict(
            "warm +1 %, by scipy's warm time",
            usual[POWER].total / usual[LOOSE].total,
            "x",
            AT_LEAST,
            11,
            "both as loose as the true error allows",
        ),
        Verdict("the same with the tolerance that is kept", usual[POWER].total / ours, "x"),
        Verdict(
            "warm +1 %, by igraph's (it cannot start warm)",
            None if igraph.cannot else igraph.total / ours,
            "x",
            AT_LEAST,
            100,
            igraph.cannot,
        ),
        Verdict(
            "warm +1 %, by the fastest other peer's",
            fastest.total / ours if fastest else None,
            "x",
            note=fastest.tool if fastest else "none could",
        ),
        Verdict("warm +0.1 % by +1 %", little[WARM].total / ours, "x", AT_MOST, 1 / 3),
    ]


def _crossover(share: float, found: dict[str, Result]) -> Verdict:
    times = ", ".join(
        f"{name} {found[name].cannot or format(found[name].total, '.3f') + ' s'}"
        for name in (PUSHES, SWEEPS, POWER)
    )
    return Verdict(f"crossover: +{share:.1%}, as it chooses", found[WARM].total, "s", note=times)
