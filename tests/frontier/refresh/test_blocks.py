"""What is kept of a page, and what of it is masked: figures, dates and what only machines read."""

from __future__ import annotations

import random
import uuid

import pytest

from frontier.refresh.alignment import compare
from frontier.refresh.blocks import ALWAYS, BLOCK, MOST_BLOCKS, NEVER, block_of_bytes, blocks_of

TITLE = "A title"


def differences(before: bytes, after: bytes) -> int:
    return len(compare(before, after).differences)


def texts_differ(before: str, after: str, numbers: str = "alone") -> bool:
    kept = (blocks_of([TITLE, text], numbers=numbers) for text in (before, after))
    return differences(*kept) > 0


def links_differ(before: str, after: str) -> bool:
    kept = (blocks_of([TITLE], [f"http://x.example/{one}"]) for one in (before, after))
    return differences(*kept) > 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Posted 3 hours ago", "Posted 2 days ago"),
        ("Monday, 3 March 2025", "Friday, 12th April 2026"),
        ("Updated: Jan 3", "Updated: Aug 21"),
        ("2026-11-29 07:45:47", "2026-11-30 17:05:01"),
        ("as of 29.11.2026", "as of 30.11.2026"),
        ("1764402345", "1764402399"),
        ("Read by 1,204 people in the last of all the many days", "Read by 1,377 people in the "
         "last of all the many days"),
    ],
)  # fmt: skip
def test_dates_times_ages_and_figures_within_sentences_are_no_text(before: str, after: str) -> None:
    assert not texts_differ(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("£12.99", "£11.49"),
        ("Price: 12 EUR incl. VAT", "Price: 14 EUR incl. VAT"),
        ("Only 3 left in stock", "Only 2 left in stock"),
        ("Version 3.2.1", "Version 3.2.2"),
        ("1 204", "1 377"),
    ],
)
def test_a_figure_with_a_few_words_beside_it_counts_unless_none_is_to(
    before: str, after: str
) -> None:
    assert texts_differ(before, after)
    assert not texts_differ(before, after, NEVER)


def test_figures_within_sentences_count_where_all_are_to() -> None:
    before, after = (f"The ferry takes {n} people across the sound at each tide" for n in (8, 9))
    assert not texts_differ(before, after)
    assert texts_differ(before, after, ALWAYS)


def test_a_page_that_was_kept_without_its_figures_has_not_changed_where_they_begin_to_count() -> (
    None
):
    kept = blocks_of([TITLE, "Price 3"], numbers=NEVER), blocks_of([TITLE, "Price 4"])
    assert not differences(*kept)


@pytest.mark.parametrize("digits", [8, 16, 32])
def test_hexadecimal_numbers_are_the_same_in_texts_and_links(digits: int) -> None:
    draw = random.Random(digits)
    for _ in range(100):
        one, other = (f"{draw.getrandbits(4 * digits):0{digits}x}" for _ in range(2))
        assert not texts_differ(f"Request {one} was served", f"Request {other} was served")
        assert not links_differ(f"r/{one}/go", f"r/{other}/go")
        assert not links_differ(f"?key={one}", f"?key={other}")


def test_tokens_and_session_ids_are_the_same_in_links() -> None:
    draw = random.Random(5)
    assert not links_differ(f"a?id={uuid.UUID(int=1 << 125)}", f"a?id={uuid.UUID(int=7 << 120)}")
    assert not links_differ("a?sessionid=abcdef&b=1", "a?sessionid=ghijkl&b=1")
    assert not links_differ("a;jsessionid=12", "a;jsessionid=13")
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    differing = 0
    for _ in range(200):
        one, other = ("".join(draw.choices(letters, k=22)) for _ in range(2))
        differing += links_differ(f"go/{one}", f"go/{other}")
    assert differing <= 2, "some look like words, all in all"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("post/1234", "post/1235"),
        ("news/2026/11/29", "news/2026/11/30"),
        ("top-10-tips-for-2024", "top-11-tips-for-2024"),
        ("an-article-on-lamps-a1b2c3d4", "an-article-on-stairs-a1b2c3d4"),
        ("The-Keeper-Of-The-Northern-Lamp", "The-Keeper-Of-The-Southern-Lamp"),
        ("post/1234?sessionid=a", "post/1235?sessionid=b"),
    ],
)
def test_addresses_that_differ_in_digits_or_words_are_different_links(
    before: str, after: str
) -> None:
    assert links_differ(before, after)


def test_a_long_page_is_compared_to_its_end() -> None:
    texts = [f"paragraph {'z' * (number % 7)} {chr(97 + number % 26)}" for number in range(900)]
    assert len(blocks_of(texts)) == BLOCK.itemsize * (MOST_BLOCKS + 1)
    assert differences(blocks_of(texts), blocks_of([*texts, "at the end"]))


def test_of_what_is_no_text_any_byte_is_a_change() -> None:
    assert not differences(block_of_bytes(b"%PDF 1"), block_of_bytes(b"%PDF 1"))
    assert differences(block_of_bytes(b"%PDF 1"), block_of_bytes(b"%PDF 2"))


def test_bytes_that_are_no_blocks_are_read_as_far_as_they_are() -> None:
    assert differences(b"\x00" * 5, blocks_of(["text"]))


def test_a_page_without_any_text_has_not_changed() -> None:
    assert not differences(b"", b"")
