"""A change is one of a page's own text: not of figures, nor of what changes on all of its host."""

from __future__ import annotations

import pytest

from frontier.refresh.blocks import MOST_BLOCKS, ChangeFinder, block_of_bytes, blocks_of

MENU = ("Home page", "All articles", "About us")
FOOT = ("Imprint of the house",)
OWN = tuple(
    f"Paragraph about the {name} of the lighthouse" for name in ("lamp", "stairs", "keeper")
)


def page(*own: str, menu: tuple[str, ...] = MENU, foot: tuple[str, ...] = FOOT) -> bytes:
    return blocks_of((*menu, *own, *foot))


def finder_that_knows_the_host() -> ChangeFinder:
    finder = ChangeFinder()
    for number in range(1, 4):
        finder.note(0, number, page(f"Text of another page, number {'x' * number}"))
    return finder


def test_a_page_whose_text_stayed_has_not_changed() -> None:
    assert ChangeFinder().share(0, 0, page(*OWN), page(*OWN)) == 0


def test_a_changed_paragraph_counts_by_its_letters_in_both_texts() -> None:
    before, after = blocks_of(["aaaa", "bbbb"]), blocks_of(["aaaa", "cccccccc"])
    assert ChangeFinder().share(0, 0, before, after) == pytest.approx((4 + 8) / (8 + 12))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Read 1,204 times", "Read 1,377 times"),
        ("Posted 3 hours ago", "Posted 2 days ago"),
        ("Monday, 3 March 2025", "Friday, 12th April 2026"),
        ("Updated: Jan 3", "Updated: Aug 21"),
    ],
)
def test_figures_and_dates_are_no_change(before: str, after: str) -> None:
    assert ChangeFinder().share(0, 0, page(*OWN, before), page(*OWN, after)) == 0


def test_a_menu_that_has_a_new_entry_is_no_change_even_on_the_first_page_that_shows_it() -> None:
    menu = (*MENU[:2], "Brand new shop", *MENU[2:])
    finder = finder_that_knows_the_host()
    assert finder.share(0, 0, page(*OWN), page(*OWN, menu=menu)) == 0


def test_another_footer_is_no_change() -> None:
    finder = finder_that_knows_the_host()
    assert finder.share(0, 0, page(*OWN), page(*OWN, foot=("Imprint, rewritten",))) == 0


def test_a_text_that_was_replaced_between_menu_and_footer_is_a_change() -> None:
    finder = finder_that_knows_the_host()
    assert finder.share(0, 0, page(*OWN), page("Something else altogether")) > 0.3


def test_a_paragraph_that_was_added_is_a_change() -> None:
    finder = finder_that_knows_the_host()
    assert finder.share(0, 0, page(*OWN), page(*OWN, "The tower was painted")) > 0


def test_advertisements_that_change_on_every_page_are_no_change_once_that_is_known() -> None:
    finder = finder_that_knows_the_host()
    shares = [
        finder.share(
            0,
            number,
            page(f"Text {'y' * number}", f"Buy {'o' * number} now"),
            page(f"Text {'y' * number}", f"Take {'p' * number} now"),
        )
        for number in range(10, 16)
    ]
    assert all(shares[:3])
    assert not any(shares[3:])


def test_beside_advertisements_a_change_is_seen() -> None:
    finder = finder_that_knows_the_host()
    for number in range(10, 16):
        finder.share(0, number, page(f"Buy {'o' * number}"), page(f"Take {'p' * number}"))
    news = "It is told at length what happened to the lighthouse in the storm of last week."
    assert finder.share(0, 9, page("Buy ooo"), page("Take ooo", news)) > 0


def test_hosts_do_not_know_each_others_menus() -> None:
    finder = finder_that_knows_the_host()
    assert finder.share(1, 0, page(*OWN), page(*OWN, foot=("Another",))) > 0


def test_a_long_page_is_compared_to_its_end() -> None:
    texts = [f"paragraph {'z' * (number % 7)} {chr(97 + number % 26)}" for number in range(900)]
    assert len(blocks_of(texts)) == 6 * (MOST_BLOCKS + 1)
    assert ChangeFinder().share(0, 0, blocks_of(texts), blocks_of([*texts, "at the end"])) > 0


def test_of_what_is_no_text_any_byte_is_a_change() -> None:
    finder = ChangeFinder()
    assert finder.share(0, 0, block_of_bytes(b"%PDF 1"), block_of_bytes(b"%PDF 1")) == 0
    assert finder.share(0, 0, block_of_bytes(b"%PDF 1"), block_of_bytes(b"%PDF 2")) == 1


def test_bytes_that_are_no_blocks_are_read_as_far_as_they_are() -> None:
    assert ChangeFinder().share(0, 0, b"\x00" * 5, page("text")) == 1


def test_a_page_without_any_text_has_not_changed() -> None:
    assert ChangeFinder().share(0, 0, b"", b"") == 0
