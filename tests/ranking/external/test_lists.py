"""Lists of links in files are the matrix of the graph, however they are cut."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from ranking.external import lists
from ranking.external.lists import LinkLists
from tests.ranking.external.made_lists import made_graph


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("segment", [1, 50, 1 << 22])
def test_products_are_those_of_the_graph_in_memory(
    segment: int, weighted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "SEGMENT", segment)
    graph, found = made_graph(segment, tmp_path, weighted=weighted)
    view = graph.snapshot()
    by_id = np.random.default_rng(1).random(view.n)
    by_row, here = by_id[view.pages], by_id[found.pages]
    assert found.spread(here) == pytest.approx(view.spread(by_row), abs=1e-12)
    there = dict(zip(view.pages.tolist(), view.times(by_id).tolist(), strict=True))
    expected = [there.get(page, 0.0) for page in found.pages.tolist()]
    assert found.times(by_id) == pytest.approx(expected, abs=1e-12)


def test_a_closed_directory_holds_the_same_lists(tmp_path: Path) -> None:
    _, found = made_graph(5, tmp_path, weighted=True)
    again = LinkLists(tmp_path)
    assert (again.n, again.n_links, again.n_pages) == (found.n, found.n_links, found.n_pages)
    for before, after in zip(found.all(), again.all(), strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))


def test_lists_of_rows_come_before_those_of_nodes_without_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "SEGMENT", 64)
    _, found = made_graph(6, tmp_path, weighted=False)
    inner = [head for part in found.inner() for head in part.heads.tolist()]
    outer = [head for part in found.outer() for head in part.heads.tolist()]
    assert inner + outer == sorted({*inner, *outer})
    assert max(inner) < found.n_pages <= min(outer)


@pytest.mark.parametrize("weighted", [False, True])
def test_no_segment_takes_more_than_the_largest(
    weighted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "SEGMENT", 64)
    _, found = made_graph(7, tmp_path, weighted=weighted)
    sizes = [sum(a.nbytes for a in part if a is not None) for part in found.all()]
    assert max(sizes) == found.largest
