"""Orders of a user's own, by import path: what is taken, and what is said of the rest."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from ranking import Evidence, Order, RankingInputError, UnknownOrderError, make_order
from ranking.orders import order_class
from tests.ranking.small_crawl import SmallCrawl
from tests.support.told import telling

OWN = "tests.ranking.orders.own_orders"


def test_an_order_is_made_from_its_path_and_goes_by_its_class() -> None:
    order = make_order(f"{OWN}.Deepest", damping=0.5, tol=1e-3)
    assert (order.damping, order.tol) == (0.5, 1e-3)
    assert (order.name, order.summary) == ("Deepest", "Far from the seeds first.")
    assert order_class(f"{OWN}.Deeper").name == "Deeper", "a name is not inherited"
    assert isinstance(make_order("ranking.orders.simple.Bfs"), order_class("bfs"))


def test_it_orders_a_crawl_seeds_first() -> None:
    web = {"s": "ab", "a": "c", "b": "", "c": "d", "d": "", "t": ""}
    crawl = SmallCrawl(make_order(f"{OWN}.Deepest"), web, ["s", "t"])
    fetched = "".join(crawl.run(99))
    assert fetched[:2] == "st"
    assert fetched.index("c") < fetched.index("d")
    assert set(fetched[2:]) == set("abcd")


@pytest.mark.parametrize(
    ("path", "facts"),
    [
        ("apprentise", ("'apprentise'", "apprentice?")),
        ("no.such.module.Mine", ("ModuleNotFoundError", "'no'")),
        (f"{OWN}.Depest", ("Deepest?",)),
        (".Deepest", ("without a module",)),
        (f"{OWN}.no_class", ("a Deepest", "class")),
        (f"{OWN}.Evidence", ("no subclass",)),
        (f"{OWN}.Unfinished", ("abstract", "value")),
        (f"{OWN}.OfFrontera", ("Frontera", "method value")),
        (f"{OWN}.TakesNothing", ("damping", "tol", "TypeError")),
        (f"{OWN}.LeavesOut", ("__init__", "Order's")),
        (f"{OWN}.Named", ("'bfs'", "name")),
    ],
)
def test_whatever_else_a_path_leads_to_is_said_with_what_was_expected(
    path: str, facts: tuple[str, ...]
) -> None:
    expected = () if path.endswith("Named") else ("ranking.Order",)
    with pytest.raises(UnknownOrderError, match=telling(*facts, *expected)) as refused:
        make_order(path, damping=0.85, tol=1e-4)
    assert path in str(refused.value)


def test_a_module_that_fails_as_it_is_imported_is_told_with_its_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_broken_module.py").write_text("from ranking import Order\n1 / 0\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with pytest.raises(UnknownOrderError, match="ZeroDivisionError"):
        make_order("own_broken_module.Mine")


@pytest.mark.parametrize("name", ["NotANumber", "OneForAll"])
def test_values_that_are_no_finite_number_for_each_id_are_refused(name: str) -> None:
    evidence = Evidence()
    evidence.grow(3, [0, 1, 1])
    order = make_order(f"{OWN}.{name}")
    with pytest.raises(RankingInputError, match=telling("value()", repr(name))):
        order.priority(np.arange(3), evidence)


def test_a_parameter_out_of_range_is_said_as_for_any_order() -> None:
    with pytest.raises(RankingInputError, match="damping"):
        make_order(f"{OWN}.Deepest", damping=1.0)
    assert issubclass(order_class(f"{OWN}.Deepest"), Order)
