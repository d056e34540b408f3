"""Which page is taken for a copy of which: copies are, pages of one site with one menu are not."""

from __future__ import annotations

import random
from zlib import crc32

import pytest

from frontier.duplicates.finder import (
    DuplicateFinder,
    DuplicatePolicy,
    FinderEntry,
    Twin,
    own_likeness,
)
from frontier.duplicates.minhash import digest_of
from frontier.errors import SettingsError

WORDS = [f"word{number}" for number in range(5000)]
POLICY = DuplicatePolicy()


def words(seed: int, count: int) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=count))


def altered(text: str, runs: int, seed: int = 1) -> str:
    """A text in which so many runs of five words are others: each is in about seven shingles."""
    parts, draw = text.split(), random.Random(seed)
    for place in draw.sample(range(0, len(parts) - 5, 6), runs):
        parts[place : place + 5] = draw.choices(WORDS, k=5)
    return " ".join(parts)


class Crawl:
    """A finder that is asked about page after page, as a crawl does."""

    def __init__(self, policy: DuplicatePolicy = POLICY, remembered: int = 200) -> None:
        self.finder = DuplicateFinder(policy, remembered)
        self.entries: list[FinderEntry] = []

    def page(
        self, text: str, host: int = 0, title: str = "", body: int = 0, url_id: int | None = None
    ) -> Twin | None:
        number = len(self.entries) * 10 if url_id is None else url_id
        entry = FinderEntry(number, host, crc32(title.encode()), body, digest_of(text))
        twin = self.finder.find(entry)
        entry = entry._replace(is_original=twin is None)
        if twin is None or not twin.is_sure:
            self.finder.add(entry)
        self.entries.append(entry)
        return twin


def test_the_same_text_is_an_exact_copy_of_the_first_page_that_has_it() -> None:
    crawl = Crawl()
    assert crawl.page(words(1, 300)) is None
    assert crawl.page(words(2, 300)) is None
    twin = crawl.page(words(1, 300).upper(), host=3, title="else", body=7)
    assert twin is not None
    assert (twin.url_id, twin.likeness, twin.is_exact) == (0, 1.0, True)


def test_the_same_body_is_an_exact_copy_however_short() -> None:
    crawl = Crawl()
    assert crawl.page("not found", body=11) is None
    assert crawl.page("not found", body=12) is None
    twin = crawl.page("not found", body=11)
    assert twin is not None
    assert twin.is_exact


def test_short_texts_are_compared_exactly_only() -> None:
    crawl = Crawl()
    assert crawl.page(words(1, 90), title="a") is None
    assert crawl.page(words(1, 90), title="a") is None
    assert crawl.page(altered(words(1, 90), 1), title="a") is None


@pytest.mark.parametrize(
    ("runs", "near"), [(1, True), (3, True), (5, True), (25, False), (50, False)]
)
def test_a_text_is_a_near_duplicate_from_the_similarity_of_the_policy(
    runs: int, near: bool
) -> None:
    crawl = Crawl()
    assert crawl.page(words(1, 400), host=1) is None
    twin = crawl.page(altered(words(1, 400), runs), host=2)
    assert (twin is not None) == near
    assert twin is None or (twin.url_id, twin.is_exact) == (0, False)


def test_pages_of_a_shop_with_one_large_menu_are_no_duplicates() -> None:
    crawl, menu = Crawl(), words(0, 800)
    twins = [
        crawl.page(f"{menu} {words(number, 60)}", title=f"Product {number}")
        for number in range(1, 60)
    ]
    assert twins[1:] == [None] * 58


def test_a_copy_within_such_a_shop_is_one_all_the_same() -> None:
    crawl, menu = Crawl(), words(0, 600)
    products = [f"{menu} {words(number, 200)}" for number in range(1, 20)]
    for number, text in enumerate(products):
        crawl.page(text, title=f"Product {number}")
    twin = crawl.page(altered(products[7], 2), title="Product 7, print")
    assert twin is not None
    assert twin.url_id == 70
    assert not twin.is_exact


def test_a_text_that_a_site_gives_for_any_url_is_marked_each_time() -> None:
    crawl, sorry = Crawl(), words(0, 300)
    for number in range(1, 6):
        crawl.page(words(number, 300), title=f"{number}")
    for number in range(30):
        twin = crawl.page(f"{sorry} number{number}", title="Not found")
        assert (twin is None) == (number == 0)


def test_a_page_that_is_fetched_again_is_not_its_own_copy() -> None:
    crawl = Crawl()
    assert crawl.page(words(1, 300), url_id=5, body=3) is None
    assert crawl.page(words(1, 300), url_id=5, body=3) is None
    assert crawl.page(altered(words(1, 300), 1), url_id=5) is None


def test_a_finder_that_was_loaded_answers_as_one_that_never_stopped() -> None:
    whole, menu = Crawl(remembered=40), words(0, 500)
    first = [(f"{menu} {words(n % 25, 150)}", n % 3, f"{n % 25}") for n in range(70)]
    for text, host, title in first:
        whole.page(text, host, title)
    resumed = Crawl(remembered=40)
    kept = [
        entry
        for entry, (_, twin) in zip(whole.entries, _twins(first), strict=True)
        if twin is None or not twin.is_sure
    ]
    resumed.finder.load(kept)
    resumed.entries = [*whole.entries]
    for number in range(100):
        page = (altered(first[number % 70][0], number % 9), number % 4, f"{number % 25}")
        assert whole.page(*page) == resumed.page(*page)


def _twins(pages: list[tuple[str, int, str]]) -> list[tuple[str, Twin | None]]:
    crawl = Crawl(remembered=40)
    return [(text, crawl.page(text, host, title)) for text, host, title in pages]


@pytest.mark.parametrize("common", [0.0, 0.3, 0.6, 0.9])
@pytest.mark.parametrize("own", [0.0, 0.4, 1.0])
def test_own_likeness_takes_out_what_all_pages_have(common: float, own: float) -> None:
    # Sets: a common part, and two own parts of 1,000 each of which some is in both.
    menu = 2000 * common / (1 - common)
    both = 2000 * own / (1 + own)
    similarity = (menu + both) / (menu + 2000 - both)
    assert own_likeness(similarity, common) == pytest.approx(own, abs=1e-9)


@pytest.mark.parametrize("similarity", [0.5, 1.1, float("nan")])
def test_a_policy_that_cannot_be_kept_is_refused(similarity: float) -> None:
    with pytest.raises(SettingsError, match="FRONTIER_DUPLICATE_"):
        DuplicatePolicy(similarity)


@pytest.mark.parametrize("text", [words(1, 20), words(1, 200)])
def test_a_page_is_stored_as_it_is_remembered(text: str) -> None:
    entry = FinderEntry(4, 2, 7, 2**64 - 1, digest_of(text))
    stored = entry.packed()
    again = FinderEntry.unpacked(4, 2, stored)
    assert again is not None
    assert again.packed() == stored
    assert again[:4] == entry[:4]
    assert FinderEntry.unpacked(4, 2, stored[1:]) is None
    other_algorithm = bytes([stored[0] ^ 1]) + stored[1:]
    assert FinderEntry.unpacked(4, 2, other_algorithm) is None
