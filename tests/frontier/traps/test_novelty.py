"""What pages prove of their site by what they say."""

from __future__ import annotations

import random
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.traps.novelty import SiteWords, Verdict, _cuts, words_of

TEXT = "Bees gather nectar from clover and heather and return to their hive before dusk"
MONTHS = "January February March April May June July August September October".split()  # noqa: SIM905


def judged(site: SiteWords, *texts: str, names: str | None = None) -> list[Verdict]:
    found = None if names is None else words_of(names)
    return [site.judge(words_of(text), found) for text in texts]


def salad(number: int, words: list[str], length: int = 100) -> str:
    rng = random.Random(number)
    return " ".join(rng.choice(words) for _ in range(length))


def letters(rng: random.Random) -> str:
    return "".join(rng.choice("abcdefghijklmnoprstuvw") for _ in range(rng.randint(4, 9)))


def test_a_text_is_new_once_and_then_the_same() -> None:
    assert judged(SiteWords(), TEXT, TEXT) == [Verdict.NEW, Verdict.SAME]


def test_a_page_without_words_is_silent() -> None:
    assert judged(SiteWords(), "", "12 3 4", "a8f3 --") == [Verdict.SILENT] * 3


def test_a_calendar_says_nothing_new_after_its_months() -> None:
    site = SiteWords()
    pages = [
        f"{month} {year} Mon Tue Wed 1 2 3 30" for year in range(2020, 2030) for month in MONTHS
    ]
    judged(site, *pages[:10])
    assert set(judged(site, *pages[10:])) == {Verdict.SAME}


def test_a_page_that_counts_its_visitors_says_nothing_new() -> None:
    site = SiteWords()
    pages = [
        f"Item {n} of the store, seen {n * 7919} times, id {n:016x}" for n in range(1000, 1100)
    ]
    assert Verdict.NEW not in judged(site, *pages)[1:]


def test_tables_of_figures_are_new() -> None:
    rng = random.Random(1)
    tables = [
        f"Year {1900 + n} " + " ".join(f"{rng.random() * 1e6:.3f}" for _ in range(40))
        for n in range(50)
    ]
    assert set(judged(SiteWords(), *tables)) == {Verdict.NEW}


def test_old_words_in_new_order_say_something_still() -> None:
    site = SiteWords()
    judged(site, TEXT, "The hive is quiet at night and clover closes before rain")
    verdicts = judged(site, "Bees return to their hive before rain and clover closes at night")
    assert verdicts == [Verdict.REWORDED]


def test_shuffled_words_are_told_from_sentences() -> None:
    rng = random.Random(3)
    words = [letters(rng) for _ in range(400)]
    site = SiteWords()
    judged(site, *(" ".join(words[at : at + 100]) for at in range(0, 400, 100)))
    assert set(judged(site, *(salad(n, words) for n in range(20)))) == {Verdict.SHUFFLED}


def test_random_letters_are_no_language() -> None:
    rng = random.Random(4)
    texts = [" ".join(letters(rng) for _ in range(100)) for _ in range(30)]
    assert set(judged(SiteWords(), *texts)[15:]) == {Verdict.RANDOM}


def test_what_new_links_are_called_proves_nothing() -> None:
    site = SiteWords()
    judged(site, "All pages of this folder")
    names = "qrtmvk wopiea nnbvcx zaqwsx"
    text = f"All pages of this folder {names}"
    assert judged(site, text, names=names) == [Verdict.SAME]
    assert judged(SiteWords(), text) == [Verdict.NEW]


def test_scripts_without_spaces_are_read_in_pairs_of_letters() -> None:
    site = SiteWords()
    first, other = "蜜蜂从三叶草和石南花采集花蜜", "冰川缓慢地雕刻山谷留下冰碛"
    assert judged(site, first, other, first) == [Verdict.NEW, Verdict.NEW, Verdict.SAME]


def test_words_are_remembered_over_many_pages_and_forgotten_in_time() -> None:
    rng = random.Random(5)
    site = SiteWords()
    judged(site, TEXT)
    judged(site, *(" ".join(letters(rng) for _ in range(300)) for _ in range(10)))
    assert judged(site, TEXT) == [Verdict.SAME]
    judged(site, *(" ".join(letters(rng) for _ in range(300)) for _ in range(200)))
    assert judged(site, TEXT) != [Verdict.SAME]


def test_a_site_goes_on_from_its_tables() -> None:
    site = SiteWords()
    judged(site, TEXT)
    again = SiteWords(site.pages, site.tables.copy())
    assert judged(again, TEXT) == [Verdict.SAME]


def test_an_emptied_site_is_as_new() -> None:
    site, rng = SiteWords(), random.Random(5)
    judged(site, TEXT, *(" ".join(letters(rng) for _ in range(300)) for _ in range(60)))
    assert site.tables.any(axis=1).all()
    assert site.emptied() is site
    assert not site.tables.any()
    assert site.pages == 0
    assert judged(site, TEXT, TEXT) == [Verdict.NEW, Verdict.SAME]


def test_a_body_without_words_is_known_again() -> None:
    site = SiteWords()
    assert [site.has_had(body) for body in (b"a", b"b", b"a")] == [False, False, True]


@given(st.text(max_size=3000))
def test_it_never_raises(text: str) -> None:
    site = SiteWords()
    site.judge(words_of(text), words_of(text[:50]))
    assert site.judge(words_of(text)) in (Verdict.SAME, Verdict.SILENT, Verdict.REPEATS)


def plain_cuts(text: str) -> str:
    step = (len(text) - 400) // 3
    cuts = (text[at * step : at * step + 400] for at in range(4))
    return " ".join(cut.partition(" ")[2].rpartition(" ")[0] or cut for cut in cuts)


@given(st.integers(0, 2**32), st.sampled_from([2, 20, 300, 900]))
def test_a_long_text_is_cut_at_the_ends_of_words(seed: int, word: int) -> None:
    rng = random.Random(seed)
    letters = (" " if rng.randrange(word) == 0 else "a" for _ in range(rng.randint(1601, 1900)))
    text = "".join(letters)
    assert _cuts(text) == plain_cuts(text)


@pytest.mark.parametrize("length", [10, 10_000, 1_000_000])
def test_a_bounded_part_of_a_text_is_read(length: int) -> None:
    assert len(words_of("word and others " * length)) < 500


@pytest.mark.parametrize(
    "said", ["orchid nursery", "бабочка ромашка", "बागवानी क्यारी", "தோட்டக்கலை பூக்கள்"]
)
def test_a_page_that_says_its_url_is_an_echo_in_any_script(said: str) -> None:
    site = SiteWords()
    judged(site, f"{TEXT} {said.split()[0]}")
    page = words_of(f"{TEXT} {said}")
    assert site.judge(page, url=f"http://a.example/{quote(said.replace(' ', '-'))}") is Verdict.ECHO
