from __future__ import annotations

from frontier.traps import soft404
from frontier.traps.soft404 import Soft404Pages


def test_one_text_at_addresses_of_several_shapes_says_that_nothing_is_there() -> None:
    seen = Soft404Pages()
    assert [seen.is_soft("site", 7, 12, shape) for shape in (1, 2, 3, 1, 2)] == [False] * 5
    assert seen.is_soft("site", 7, 12, 9)


def test_one_text_at_very_many_addresses_of_one_shape_does() -> None:
    seen = Soft404Pages()
    assert [seen.is_soft("site", 7, 12, 1) for _ in range(22)] == [False] * 20 + [True] * 2


def test_short_texts_and_other_sites_do_not() -> None:
    seen = Soft404Pages()
    assert not any(seen.is_soft("site", 7, 4, shape) for shape in range(50))
    assert not any(seen.is_soft(f"site{n}", 8, 12, n) for n in range(50))


def test_texts_long_unseen_are_forgotten(monkeypatch: object) -> None:
    seen = Soft404Pages()
    for text in range(soft404._REMEMBERED + 10):
        seen.is_soft("site", text, 12, 1)
    assert len(seen._seen) == soft404._REMEMBERED
