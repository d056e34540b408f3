"""What pages add to what their site has said, and which texts say that nothing is there."""

from __future__ import annotations

import random
from itertools import cycle
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.traps.new_text import News, SiteText, SiteTexts, words_of, words_of_url

TEXT = "Bees gather nectar from clover and heather and return to their hive before dusk"
MONTHS = "January February March April May June July August September October".split()  # noqa: SIM905


def read(site: SiteText, *texts: str, url: str = "", anchors: str = "") -> list[News]:
    named = words_of_url(url), words_of(anchors)
    return [site.read(words_of(text), *named) for text in texts]


def letters(rng: random.Random) -> str:
    return "".join(rng.choice("abcdefghijklmnoprstuvw") for _ in range(rng.randint(4, 9)))


def at_random(rng: random.Random, length: int = 100) -> str:
    return " ".join(letters(rng) for _ in range(length))


def test_a_text_is_new_once() -> None:
    assert read(SiteText(), TEXT, TEXT) == [News.NEW, News.NOTHING]


def test_a_page_without_words_is_silent() -> None:
    assert read(SiteText(), "", "12 3 4", "a8f3 --", "2024-05-06 6.5.2024") == [News.SILENT] * 4


def test_a_calendar_has_nothing_new_after_its_months() -> None:
    site = SiteText()
    pages = [f"{month} {year} Mon Tue Wed 1 2 3" for year in range(2020, 2030) for month in MONTHS]
    read(site, *pages[:10])
    assert set(read(site, *pages[10:])) == {News.NOTHING}


def test_a_page_that_counts_its_visitors_has_nothing_new() -> None:
    site = SiteText()
    pages = [f"Item {n} of our store, seen {n * 7919} times, id {n:016x}" for n in range(100, 200)]
    assert set(read(site, *pages)[1:]) == {News.NOTHING}


def test_tables_of_figures_are_new() -> None:
    rng = random.Random(1)
    rows = [" ".join(f"{rng.random() * 1e6:.3f}" for _ in range(40)) for _ in range(50)]
    assert set(read(SiteText(), *rows)) == {News.NEW}


def test_old_words_in_new_order_are_told_from_new_and_from_shuffled_ones() -> None:
    rng = random.Random(3)
    words = [letters(rng) for _ in range(400)]
    site = SiteText()
    read(site, *(" ".join(words[at : at + 100]) for at in range(0, 400, 100)))
    mixed = [" ".join(words[k : k + 6]) for k in range(0, 400, 7)]
    assert read(site, " ".join(mixed[::2])) == [News.REWORDED]
    shuffled = [" ".join(rng.choice(words) for _ in range(100)) for _ in range(20)]
    assert set(read(site, *shuffled)) == {News.NOTHING}


def test_random_letters_are_no_news_once_a_site_is_known() -> None:
    rng = random.Random(4)
    assert set(read(SiteText(), *(at_random(rng) for _ in range(30)))[15:]) == {News.NOTHING}


def test_names_of_new_links_and_of_the_page_itself_are_no_news() -> None:
    name = "qrtmvk wopiea nnbvcx zaqwsx"
    page = f"All pages of this folder {name}"

    def judged(**beside: str) -> News:
        site = SiteText()
        read(site, "All pages of this folder")
        return read(site, page, **beside)[0]

    assert judged() is News.NEW
    assert judged(anchors=name) is News.NOTHING
    assert judged(url=f"http://a.example/{name.replace(' ', '-')}") is News.REWORDED


def test_scripts_without_spaces_are_read_in_pairs_of_letters() -> None:
    first, other = "蜜蜂从三叶草和石南花采集花蜜", "冰川缓慢地雕刻山谷留下冰碛"
    assert read(SiteText(), first, other, first) == [News.NEW, News.NEW, News.NOTHING]


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("Gather NECTAR, hive!", "gather nectar hive"),
        ("Vie\u0323\u0302t", normalize("NFC", "vie\u0323\u0302t")),
        ("gar\u00adden", "garden"),
        ("мо́ре İs", "море is"),
        ("page 7 of 99 in 2024", "page of in"),
        ("x a1b2 19.99", "19.99"),
    ],
)
def test_what_is_one_word(text: str, same: str) -> None:
    assert words_of(text) == words_of(same)


@given(st.text(max_size=3000))
def test_no_text_is_news_twice(text: str) -> None:
    site = SiteText()
    assert read(site, text, text)[1] in (News.NOTHING, News.SILENT)


@pytest.mark.parametrize("word", ["word and others ", "1.,", "é", "語", "a" * 50])
def test_a_bounded_part_of_a_text_is_read(word: str) -> None:
    assert len(words_of(word * 100_000)) <= 4 * 1600


@pytest.mark.parametrize(("patterns", "most"), [((1,), 20), ((1, 2), 5), ((1, 2, 3), 5)])
def test_a_text_at_many_urls_says_that_nothing_is_there(
    patterns: tuple[int, ...], most: int
) -> None:
    sites, text = SiteTexts(), words_of("Sorry, nothing is here any more")
    seen = [sites.is_soft_404("a.example", text, of) for of, _ in zip(cycle(patterns), range(30))]
    assert seen == [False] * most + [True] * (30 - most)
    assert not sites.is_soft_404("b.example", text, 1)
