"""The apprentice's signals and values once more: one URL at a time, in plain Python.

Written from their definitions; reads the columns that the order keeps, and calls nothing of it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from math import log, log1p, sqrt
from typing import Any

import numpy as np

GRADED = (
    *("predicted", "anchor", "context", "address", "parents", "best parent", "sources", "folder"),
    *("zone", "near anchor", "near context", "near address", "similar parents"),
)


def signals(order: Any, evidence: Any, i: int) -> dict[str, float]:
    mean, memory, scores = order._mean, order._memory, order.scores

    def of(name: str) -> float:
        return float(memory[name][i])

    links = int(evidence.in_links[i])
    parents = float(evidence.parent_sum[i])
    sums, best, number = (column[i].item() for column in order._sources.columns)
    topical, general = (log(float(scores[name][i]) + 1e-12) for name in ("topical", "general"))
    host_sum, host_pages, host_failed = place(order._yields.hosts, i)
    folder_sum, folder_pages, folder_failed = place(order._yields.folders, i)
    kind_sum, kind_pages, kind_failed = place(order._yields.templates, i)
    zone_sum, zone_pages, _ = place(order._yields.zones, i)
    host = (host_sum + 5 * mean) / (host_pages + host_failed + 5)
    kind = (kind_sum + 5 * host) / (kind_pages + kind_failed + 5)
    return {
        "predicted": float(evidence.predicted[i]),
        "anchor": of("anchor") / 255,
        "context": of("context") / 255,
        "address": of("address") / 255,
        "parents": (parents + 5 * max(mean, 1e-6)) / (links + 5),
        "best parent": float(evidence.parent_max[i]),
        "support": log1p(parents),
        "in-links": log1p(links),
        "topical": topical,
        "lift": topical - general,
        "sources": (sums + 2 * mean) / (number + 2),
        "best source": best,
        "host": host,
        "folder": (folder_sum + 5 * kind) / (folder_pages + folder_failed + 5),
        "depth": -float(evidence.depth[i]),
        "zone": (zone_sum + 5 * mean) / (zone_pages + 5),
        "near anchor": of("near anchor") / 255,
        "near context": of("near context") / 255,
        "near address": of("near address") / 255,
        "similar parents": (of("similar parents") + 5 * max(mean, 1e-6)) / (links + 5),
    }


def place(places: Any, i: int) -> tuple[float, int, int]:
    at = places._of.array[i]
    return tuple(one.array[at].item() for one in (places._sum, places._pages, places._failed))


def rarity(sample: list[float], value: float) -> float:
    """Of a sorted sample in single precision."""
    single = np.float32(value)
    below, upto = (side(sample, single) / len(sample) for side in (bisect_left, bisect_right))
    # NumPy's logarithm: the scales are made of a whole sample at once.
    return float((-np.log(1 - (below + upto) / 2 + 0.5 / len(sample)) - 1) / 4)


def row(order: Any, evidence: Any, i: int) -> list[float]:
    """The design row."""
    known = signals(order, evidence, i)
    samples = np.sort(order._rarity._sample, axis=1)
    rare = [
        rarity(sample.tolist(), value) if sample.size else 0.0
        for sample, value in zip(samples, known.values(), strict=True)
    ]
    graded = [value for name, value in known.items() if name in GRADED]
    return [*rare, *graded, 1.0]


def value(order: Any, evidence: Any, i: int) -> float:
    """What a URL is worth that is no seed."""
    _, host_pages, host_failed = place(order._yields.hosts, i)
    _, folder_pages, folder_failed = place(order._yields.folders, i)
    _, kind_pages, kind_failed = place(order._yields.templates, i)
    host_tried, folder_tried = host_pages + host_failed, folder_pages + folder_failed
    found = 0.1 / sqrt(1 + host_tried) + 0.03 / sqrt(1 + folder_tried)
    for weight, column in zip(order._ridge.weights.tolist(), row(order, evidence, i), strict=True):
        found += weight * column
    host = (host_pages + 2) / (host_tried + 2)
    folder = (folder_pages + 2 * host) / (folder_tried + 2)
    useful = (kind_pages + 2) / (kind_pages + kind_failed + 2)
    return found - (1 - folder * useful) * (max(found, 0.0) + 0.05)
