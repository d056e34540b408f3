"""The apprentice's signals and values once more: one URL at a time, in plain Python.

Written from their definitions; reads the columns that the order keeps, and calls nothing of it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from math import log, log1p, sqrt
from typing import Any

import numpy as np

GRADED = (
    *("promise", "anchor", "context", "address", "parents", "best parent", "sources", "folder"),
    "zone",
)


def signals(order: Any, evidence: Any, i: int) -> dict[str, float]:
    mean, memory, scores = order._mean, order._memory, order.scores

    def of(name: str) -> float:
        return float(memory[name][i])

    links = int(evidence.in_links[i])
    parents = float(evidence.parent_sum[i])
    sums, best, number = (column[i].item() for column in order._sources.columns)
    topical, general, trust, authority = (
        log(float(scores[name][i]) + 1e-12) for name in ("topical", "general", "trust", "authority")
    )
    host_sum, host_pages, host_failed = place(order._yields.hosts, i)
    folder_sum, folder_pages, folder_failed = place(order._yields.folders, i)
    kind_sum, kind_pages, kind_failed = place(order._yields.templates, i)
    zone_sum, zone_pages, _ = place(order._yields.zones, i)
    host = (host_sum + 5 * mean) / (host_pages + host_failed + 5)
    kind = (kind_sum + 5 * host) / (kind_pages + kind_failed + 5)
    return {
        "promise": float(evidence.promise[i]),
        "anchor": of("anchor") / 255,
        "anchors": of("anchor_sum") / (255 * max(of("texts"), 1)),
        "context": of("context") / 255,
        "address": of("address") / 255,
        "parents": (parents + 5 * max(mean, 1e-6)) / (links + 5),
        "best parent": float(evidence.parent_max[i]),
        "similarity": of("similarity") / (links + 2),
        "support": log1p(parents),
        "in-links": log1p(links),
        "topical": topical,
        "lift": topical - general,
        "trust": trust,
        "authority": authority,
        "share": of("share"),
        "sources": (sums + 2 * mean) / (number + 2),
        "best source": best,
        "host": host,
        "folder": (folder_sum + 5 * kind) / (folder_pages + folder_failed + 5),
        "position": -log1p(of("position")),
        "depth": -float(evidence.depth[i]),
        "zone": (zone_sum + 5 * mean) / (zone_pages + 5),
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
    samples = np.sort(order._surprise._sample, axis=1)
    rare = [
        rarity(sample.tolist(), value) if sample.size else 0.0
        for sample, value in zip(samples, known.values(), strict=True)
    ]
    graded = [value for name, value in known.items() if name in GRADED]
    return [*rare, *graded, 1.0]


def urls_of_host(order: Any, i: int) -> int:
    of = order._yields.hosts._of.array.tolist()
    return of.count(of[i])


def answers(order: Any) -> tuple[float, float, float]:
    """Mean share of answers of a host, how alike its URLs are in that, and how alike a folder's."""
    hosts, folders = tried(order._yields.hosts), tried(order._yields.folders)
    shares = [4096 * pages // (pages + failed) / 4096 for pages, failed in hosts]
    many = [(pages, failed) for pages, failed in hosts if pages + failed > 1]
    share = sum(pages for pages, _ in many) / max(1, sum(map(sum, many)))
    apart, tries = differing(hosts)
    return (
        (1 + sum(shares)) / (1 + len(shares)),
        alike(hosts, 2 * share * (1 - share)),
        alike(folders, apart / max(1, tries)),
    )


def tried(places: Any) -> list[tuple[int, int]]:
    """Pages fetched and failed, of each place where there are some."""
    every = zip(places._pages.array.tolist(), places._failed.array.tolist(), strict=True)
    return [one for one in every if any(one)]


def differing(places: list[tuple[int, int]]) -> tuple[float, int]:
    """In how many tries another at the same place went otherwise, and of how many.

    In whole parts of 4,096, so that the sum does not depend on its order.
    """
    many = [(pages, failed) for pages, failed in places if pages + failed > 1]
    apart = sum(2 * 4096 * pages * failed // (pages + failed - 1) for pages, failed in many)
    return apart / 4096, sum(map(sum, many))


def alike(places: list[tuple[int, int]], anywhere: float) -> float:
    apart, tries = differing(places)
    whole = anywhere * tries
    return min(max((whole - apart + 2.5 * (1 / 3)) / (whole + 2.5), 0.005), 0.95)


def value(order: Any, evidence: Any, i: int) -> float:
    """What a URL is worth that is no seed."""
    _, host_pages, host_failed = place(order._yields.hosts, i)
    _, folder_pages, folder_failed = place(order._yields.folders, i)
    _, kind_pages, kind_failed = place(order._yields.templates, i)
    host_tried, folder_tried = host_pages + host_failed, folder_pages + folder_failed
    found = 0.1 / sqrt(1 + host_tried) + 0.03 / sqrt(1 + folder_tried)
    judged, mean = order._judged, order._sum / max(order._judged, 1)
    menus = 0.8 * max(1 - judged / 100, 0) * max(1 - mean / 0.5, 0)
    found += menus * min(1, int(evidence.in_links[i]) / max(host_pages, 3))
    for weight, column in zip(order._ridge.weights.tolist(), row(order, evidence, i), strict=True):
        found += weight * column
    share, hosts, folders = answers(order)
    waiting = max(1, urls_of_host(order, i) - host_tried)
    one_of_all = share * waiting / (share * waiting + 1 - share)
    share += hosts * (one_of_all - share)
    seen = (1 - hosts) / hosts
    host = (host_pages + seen * share) / (host_tried + seen)
    seen = (1 - folders) / folders
    folder = (folder_pages + seen * host) / (folder_tried + seen)
    useful = (kind_pages + 2) / (kind_pages + kind_failed + 2)
    return found - (1 - folder * useful) * (max(found, 0.0) + 0.05)
