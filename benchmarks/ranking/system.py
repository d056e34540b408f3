"""The graph itself, the second core, and what the memory of the machine allows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from benchmarks.ranking import runs
from benchmarks.ranking.jobs import TENTH, TOPIC, UNIFORM, Job
from benchmarks.ranking.report import Section, Verdict
from benchmarks.ranking.runs import OURS, Turns
from benchmarks.report import AT_LEAST, AT_MOST

if TYPE_CHECKING:
    from benchmarks.ranking.plan import Plan

_BYTES_A_LINK, _BYTES_A_URL = 6, 40
_INDEX, _SCORE = 4, 8
_TURNS = Turns(5, patience=60.0)


def growing(plan: Plan) -> list[Section]:
    """Bytes, appends and snapshots while the crawl writes its graph."""
    job = _job(plan, "ppr")
    plan.prepare(job)
    plain = _grow(job, traced=False, weighted=False)
    # Of the tenth: tracing takes minutes on the big one, and a link takes as much on both.
    small = Job(f"synthetic-{TENTH}", TENTH, "ppr", TOPIC, 1e-6)
    plan.prepare(small)
    traced = _grow(small, traced=True, weighted=False)
    weighted = _grow(small, traced=True, weighted=True)
    total = f"{plain['links']:,} links, {plain['n']:,} URLs"
    section = Section(f"The graph while crawling: {total}")
    section.verdicts = [
        _held("held by the graph (tracemalloc)", traced, "held"),
        _held("at most while it grew (tracemalloc)", traced, "most"),
        _held("grown by the process (resident)", plain, "process"),
        _held("held with 5 % nofollow links (tracemalloc)", weighted, "held"),
        Verdict("append of 10,000 links, median", 1000 * plain["append"], "ms", AT_MOST, 2),
        Verdict("append of 10,000 links, worst", 1000 * plain["append_worst"], "ms"),
        Verdict("append of one page with 10,000 links", 1000 * plain["one_page"], "ms"),
        Verdict("snapshot", 1e6 * plain["snapshot"], "us"),
        Verdict("100 snapshots hold", plain["copied"], "MiB", AT_MOST, 1),
    ]
    return [section]


def two_cores(plan: Plan) -> list[Section]:
    """Ours with both cores, and a busy crawl beside a re-rank."""
    section = Section("Two cores")
    for task in ("ppr", "topic-hits"):
        job = _job(plan, task)
        plan.prepare(job)
        one = runs.compare(job, [OURS], _TURNS, wall=True)[OURS]
        two = runs.compare(job, [OURS], _TURNS, cores=2, wall=True)[OURS]
        section.results.append(replace(one, tool=f"{task}, one core"))
        section.results.append(replace(two, tool=f"{task}, two cores"))
        ratio = one.total / two.total
        section.verdicts.append(Verdict(f"{task}, two cores by one", ratio, "x", AT_LEAST, 1.1))
    beside = runs.run_module("benchmarks.ranking.beside", _job(plan, "ppr"), cores=2)
    share = Verdict(
        "a Python thread beside a re-rank keeps",
        beside["share"],
        "of its speed",
        AT_LEAST,
        0.8,
        f"the re-rank took {beside['beside']:.2f} s",
    )
    section.verdicts.append(share)
    return [section]


def memory_limit(plan: Plan) -> list[Section]:
    """Cold PPR beside the least time in which the memory could deliver what it must read."""
    job = _job(plan, "ppr")
    plan.prepare(job)
    machine = runs.run_module("benchmarks.ranking.machine", job)
    ours = runs.compare(job, [OURS], plan.turns)[OURS]
    sweeps, inner, links = ours.sweeps or 0, machine["inner"], machine["links"]
    # Sweeps read an index and gather a score a link; the log is read once to build, once at last.
    touched = (_INDEX + _SCORE) * (sweeps * inner + links) + _INDEX * links
    bandwidth = touched / machine["copy"]
    gathers = sweeps * inner / machine["gather_pages"] + links / machine["gather_ids"]
    section = Section(
        f"Memory: copies {machine['copy'] / 1e9:.1f} GB/s; gathers "
        f"{machine['gather_pages'] / 1e9:.2f} G/s from the scores of fetched pages, "
        f"{machine['gather_ids'] / 1e9:.2f} G/s from those of all ids"
    )
    section.verdicts = [
        Verdict(
            "cold PPR by the bandwidth limit",
            ours.total / bandwidth,
            "x",
            note=f"{sweeps} sweeps x {inner:,} links + {links:,}: {touched / 1e9:.1f} GB, "
            f"{bandwidth:.3f} s; took {ours.total:.3f} s",
        ),
        Verdict(
            "cold PPR by the gather limit",
            ours.total / gathers,
            "x",
            note=f"{gathers:.3f} s at the rates NumPy gathers with, built or not",
        ),
    ]
    return [section]


def _job(plan: Plan, task: str) -> Job:
    return Job(plan.graph, plan.pages, task, TOPIC if task == "ppr" else UNIFORM, 1e-6)


def _grow(job: Job, *, traced: bool, weighted: bool) -> dict[str, Any]:
    options = {"traced": traced, "weighted": weighted}
    return runs.run_module("benchmarks.ranking.growing", job, options=options)


def _held(what: str, grown: dict[str, Any], name: str) -> Verdict:
    allowed = (_BYTES_A_LINK * grown["links"] + _BYTES_A_URL * grown["n"]) / 2**20
    return Verdict(
        what,
        grown[name] / allowed,
        "of what is allowed",
        AT_MOST,
        1,
        f"{grown[name]:,.0f} of {allowed:,.0f} MiB: {_BYTES_A_LINK} B a link, {_BYTES_A_URL} a URL",
    )
