"""Ranking a graph for the first time, build included: walks, HITS, a graph ten times larger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.ranking import runs
from benchmarks.ranking.jobs import CNR, CNR_PAGES, TENTH, TOPIC, UNIFORM, Job
from benchmarks.ranking.report import Section, Verdict
from benchmarks.ranking.runs import FROM_EDGES, NETWORKIT, OURS, PEERS, POWER, SKNETWORK, SVDS
from benchmarks.report import AT_LEAST, AT_MOST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.ranking.plan import Plan
    from benchmarks.ranking.runs import Result

_NAMES = {
    "ppr": "personalized PageRank",
    "pagerank": "PageRank",
    "hits": "HITS",
    "topic-hits": "topic HITS",
}
_WALKERS = tuple(name for name in PEERS if name != SVDS)
_ON_HITS = tuple(name for name in PEERS if name != NETWORKIT)


def walks(plan: Plan) -> list[Section]:
    """Cold PPR against everyone; PageRank for those who know no restart vector."""
    job = Job(plan.graph, plan.pages, "ppr", TOPIC, 1e-6)
    ppr = _section(plan, job, _WALKERS)
    found = _by_tool(ppr)
    ppr.verdicts += [
        _times("cold PPR, build included, by scipy's time", found, OURS, POWER, 8),
        _best("cold PPR, by the fastest other peer's", found, OURS, {POWER}, 8),
        _times("the same from edges, by scipy's", found, FROM_EDGES, POWER),
        Verdict("cold PPR, peak memory", found[OURS].peak / 1024, "GiB", AT_MOST, 2.0),
        Verdict("the same from edges", found[FROM_EDGES].peak / 1024, "GiB", AT_MOST, 2.0),
    ]
    job = Job(plan.graph, plan.pages, "pagerank", UNIFORM, 1e-6)
    uniform = _section(plan, job, (POWER, NETWORKIT))
    found = _by_tool(uniform)
    uniform.verdicts += [
        _times("cold PageRank (uniform), by scipy's time", found, OURS, POWER, 8),
        _times("cold PageRank (uniform), by networkit's", found, OURS, NETWORKIT, 8),
    ]
    return [ppr, uniform]


def topic_hits(plan: Plan) -> list[Section]:
    """Topic HITS against everyone who has HITS."""
    section = _section(plan, Job(plan.graph, plan.pages, "topic-hits", UNIFORM, 1e-6), _ON_HITS)
    found = _by_tool(section)
    section.verdicts += [
        _times("topic HITS, by scikit-network's time", found, OURS, SKNETWORK, 10),
        _best("topic HITS, by the fastest other peer's", found, OURS, {SKNETWORK}, 4),
    ]
    return [section]


def scaling(plan: Plan) -> list[Section]:
    """The big graph by its tenth; nothing to compare when the plan is about the tenth."""
    if plan.pages == TENTH:
        return []
    sections = []
    for task, restart in (("ppr", TOPIC), ("topic-hits", UNIFORM)):
        small = Job(f"synthetic-{TENTH}", TENTH, task, restart, 1e-6)
        big = Job(plan.graph, plan.pages, task, restart, 1e-6)
        plan.prepare(small)
        before = runs.compare(small, [OURS, POWER], plan.turns)
        after = runs.compare(big, [OURS, POWER], plan.turns)
        ratio = after[OURS].total / before[OURS].total
        sections.append(
            Section(
                f"{_NAMES[task]} on a tenth of the graph",
                list(before.values()),
                [
                    Verdict(
                        f"{_NAMES[task]}, 10x larger graph",
                        ratio,
                        "x the time",
                        AT_MOST,
                        20,
                        f"scipy: {after[POWER].total / before[POWER].total:.0f} x",
                    )
                ],
            )
        )
    return sections


def real(plan: Plan) -> list[Section]:
    """The real graph; at least twice as fast as the fastest peer at everything."""
    if not CNR.is_file():
        return [Section(f"{CNR_PAGES}: skipped, {CNR} is not there")]
    sections = []
    for task, restart in (
        ("pagerank", UNIFORM),
        ("ppr", TOPIC),
        ("hits", UNIFORM),
        ("topic-hits", UNIFORM),
    ):
        peers = _WALKERS if "hits" not in task else _ON_HITS
        section = _section(plan, Job(CNR_PAGES, None, task, restart, 1e-6), peers)
        found = _by_tool(section)
        what = f"{CNR_PAGES}, {_NAMES[task]}, by the fastest peer's time"
        section.verdicts.append(_best(what, found, OURS, set(), 2))
        section.verdicts.append(_best("the same from edges", found, FROM_EDGES, set()))
        sections.append(section)
    return sections


def _section(plan: Plan, job: Job, peers: Sequence[str]) -> Section:
    size = plan.prepare(job)
    results = runs.compare(job, [OURS, FROM_EDGES, *peers], plan.turns)
    title = f"{_NAMES[job.task]} of {job.graph} to {job.tol:g}, cold: {size}"
    return Section(title, list(results.values()))


def _by_tool(section: Section) -> dict[str, Result]:
    return {one.tool: one for one in section.results}


def _times(
    what: str, found: Mapping[str, Result], ours: str, peer: str, bound: float | None = None
) -> Verdict:
    if found[peer].cannot:
        return Verdict(what, None, "x", AT_LEAST, bound, f"{peer}: {found[peer].cannot}")
    return Verdict(what, found[peer].total / found[ours].total, "x", AT_LEAST, bound)


def _best(
    what: str, found: Mapping[str, Result], ours: str, but: set[str], bound: float | None = None
) -> Verdict:
    others = [found[name] for name in found if name in PEERS and name not in but]
    by_total: Callable[[Result], float] = lambda one: one.total  # noqa: E731 - a typed key
    fastest = min((one for one in others if not one.cannot), key=by_total, default=None)
    if fastest is None:
        return Verdict(what, None, "x", AT_LEAST, bound, "no peer could")
    ratio = fastest.total / found[ours].total
    return Verdict(what, ratio, "x", AT_LEAST, bound, fastest.tool)
