"""A change is one of a page's own text: not what varies, nor what changes on all of its host."""

from __future__ import annotations

from itertools import count, pairwise

import pytest

from frontier.refresh.blocks import blocks_of
from frontier.refresh.change_finder import ChangeFinder, ComparisonResult

MENU = ("Home page", "All articles", "About us")
FOOT = ("Imprint of the house",)
OWN = tuple(
    f"Paragraph about the {name} of the lighthouse" for name in ("lamp", "stairs", "keeper")
)
_TIMES = count()


def page(
    *own: str, menu: tuple[str, ...] = MENU, foot: tuple[str, ...] = FOOT, offer: str = ""
) -> bytes:
    """The kept blocks of a page whose menu, text, offers and footer are places of their own."""
    texts = (*menu, *own, *filter(None, (offer,)), *foot)
    places = [11] * len(menu) + [12] * len(own) + [13] * bool(offer) + [14] * len(foot)
    return blocks_of(("", *texts), places=places)


def finder_that_knows_the_host() -> ChangeFinder:
    finder = ChangeFinder()
    for number in range(1, 4):
        finder.note(0, number, page(f"Text of another page, number {'x' * number}"))
    return finder


def revisit(finder: ChangeFinder, before: bytes, after: bytes, number: int = 0) -> ComparisonResult:
    return finder.find(0, (number, float(next(_TIMES))), before, after)


def share(finder: ChangeFinder, before: bytes, after: bytes) -> float:
    return revisit(finder, before, after).share


def test_a_page_whose_text_stayed_has_not_changed() -> None:
    assert share(ChangeFinder(), page(*OWN), page(*OWN)) == 0


def test_a_changed_paragraph_counts_by_its_letters_in_both_texts() -> None:
    before, after = blocks_of(["aaaa", "bbbb"]), blocks_of(["aaaa", "cccccccc"])
    assert share(ChangeFinder(), before, after) == pytest.approx((4 + 8) / (8 + 12))


def test_a_menu_that_has_a_new_entry_is_no_change_even_on_the_first_page_that_shows_it() -> None:
    menu = (*MENU[:2], "Brand new shop", *MENU[2:])
    assert share(finder_that_knows_the_host(), page(*OWN), page(*OWN, menu=menu)) == 0


def test_another_footer_is_no_change() -> None:
    changed = page(*OWN, foot=("Imprint, rewritten",))
    assert share(finder_that_knows_the_host(), page(*OWN), changed) == 0
    assert share(ChangeFinder(), page(*OWN), changed) > 0, "other hosts are not known by it"


def test_a_text_that_was_replaced_between_menu_and_footer_is_a_change() -> None:
    changed = share(finder_that_knows_the_host(), page(*OWN), page("Something else altogether"))
    assert changed > 0.3


def test_a_paragraph_that_was_added_is_a_change() -> None:
    added = page(*OWN, "The tower was painted")
    assert share(finder_that_knows_the_host(), page(*OWN), added) > 0


def test_a_page_that_was_as_all_others_are_has_changed_when_it_has_a_text() -> None:
    finder = ChangeFinder()
    for number in range(1, 4):
        finder.note(0, number, page("Coming soon"))
    assert share(finder, page("Coming soon"), page("A text at last")) > 0


OFFERS = [
    f"{word} {word}s for your house" for word in ("lamp", "bell", "sail", "rope", "oar", "net")
]


def varied(finder: ChangeFinder, pages: int, first: int = 0) -> list[ComparisonResult]:
    """Revisits at pages of which nothing but the offer is another one."""
    return [
        revisit(
            finder,
            page(*OWN, "y" * number, offer=f"Take {'o' * number} now"),
            page(*OWN, "y" * number, offer=f"Buy {'p' * number} now"),
            number,
        )
        for number in range(first, first + pages)
    ]


def test_what_varies_on_every_page_is_no_change_and_the_first_revisits_are_taken_back() -> None:
    finder = ChangeFinder()
    found = varied(finder, 8, first=10)
    reported = [one.share > 0 for one in found]
    assert reported[0]
    assert not any(reported[5:])
    taken_back = [number for one in found for number, _ in one.settled]
    assert taken_back == [10 + at for at, one in enumerate(reported) if one]


def test_beside_what_varies_a_change_is_seen() -> None:
    finder = ChangeFinder()
    varied(finder, 8, first=10)
    after = page(*OWN, "The tower was painted", offer="Buy it")
    assert revisit(finder, page(*OWN, offer="Take it"), after).share > 0


def test_what_varies_is_known_to_a_crawl_that_goes_on() -> None:
    finder, again = ChangeFinder(), ChangeFinder()
    varied(finder, 8, first=10)
    again.restore((0, finder.saved()))
    assert not any(one.share for one in varied(again, 4, first=20))
    assert again.saved().tobytes() != b""


def test_what_changes_on_one_page_at_each_revisit_is_news() -> None:
    finder = finder_that_knows_the_host()
    parts = [page(*OWN[:2], f"Part {'i' * number} of the story") for number in range(1, 20)]
    assert all(revisit(finder, *pair).share for pair in pairwise(parts))


def test_an_offer_that_comes_back_is_no_news_on_a_host_of_one_page() -> None:
    finder = ChangeFinder()
    shown = [page(*OWN, offer=OFFERS[number % len(OFFERS)]) for number in range(40)]
    found = [revisit(finder, *pair).share > 0 for pair in pairwise(shown)]
    assert all(found[: len(OFFERS) - 2])
    assert not any(found[len(OFFERS) :])


def test_figures_that_differ_at_most_revisits_are_a_counter() -> None:
    finder = ChangeFinder()
    counted = [page(*OWN, offer=f"{number} views") for number in range(1200, 1220)]
    found = [revisit(finder, *pair) for pair in pairwise(counted)]
    assert not any(one.share for one in found[4:])
    assert sum(len(one.settled) for one in found) == 4


def test_a_price_that_seldom_changes_is_news() -> None:
    finder = ChangeFinder()
    prices = [1299] * 8 + [1199] * 9 + [1249] * 5
    shown = [page(*OWN, offer=f"£{price / 100}") for price in prices]
    found = [revisit(finder, *pair).share > 0 for pair in pairwise(shown)]
    assert [at for at, one in enumerate(found) if one] == [7, 16]


NOTICE = blocks_of(["Closed", "We are back soon", "This host is being mended"])


def own_page(number: int) -> bytes:
    return page(*OWN, f"This is told by page {'z' * number} alone")


def test_a_body_that_many_pages_show_at_once_is_a_notice_and_the_first_are_taken_back() -> None:
    finder = finder_that_knows_the_host()
    found = [revisit(finder, own_page(number), NOTICE, number) for number in range(10, 15)]
    assert [one.is_notice for one in found] == [False, False, True, True, True]
    assert [number for one in found for number, _ in one.notices] == [10, 11]
    assert revisit(finder, own_page(10), own_page(10), 10).share == 0


def test_a_host_of_two_pages_has_notices_too() -> None:
    finder = ChangeFinder()
    for number in (1, 2):
        finder.note(0, number, own_page(number))
    assert not revisit(finder, own_page(1), NOTICE, 1).is_notice
    assert revisit(finder, own_page(2), NOTICE, 2).is_notice


def test_a_notice_with_offers_that_vary_is_one() -> None:
    finder = ChangeFinder()
    varied(finder, 8, first=10)
    shown = [
        blocks_of(["Closed", "Back soon", f"Buy {'q' * number}"], places=[15, 13])
        for number in range(5)
    ]
    found = [
        revisit(finder, page(*OWN, "z" * number, offer="Buy"), shown[number], number)
        for number in range(5)
    ]
    assert [one.is_notice for one in found][2:] == [True] * 3


def test_an_empty_body_is_no_page_at_once() -> None:
    found = revisit(ChangeFinder(), own_page(1), b"", 1)
    assert (found.is_notice, found.notices) == (True, [])
    assert not revisit(ChangeFinder(), b"", b"", 1).is_notice


def test_pages_that_were_the_same_and_become_the_same_have_changed() -> None:
    finder = ChangeFinder()
    soon, there = blocks_of(["Coming soon to this place"]), blocks_of(["There it is at last"])
    for number in range(4):
        finder.note(0, number, soon)
    assert not any(revisit(finder, soon, there, number).is_notice for number in range(4))


def test_pages_that_are_taken_away_one_after_the_other_are_no_notice() -> None:
    finder = finder_that_knows_the_host()
    for number in range(10, 16):
        assert not revisit(finder, own_page(number), NOTICE, number).is_notice
        for other in range(20, 60):
            revisit(finder, own_page(other), own_page(other), other)
