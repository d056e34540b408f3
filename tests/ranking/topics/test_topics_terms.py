"""Text -> terms: what must be alike is alike, and nothing breaks on any script."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.topics.terms import FUNCTION_WORDS, MAX_TEXT, fold, terms, words


@pytest.mark.parametrize(
    "family",
    [
        ("crawler", "crawlers"),
        ("theory", "theories"),
        ("movie", "movies"),
        ("index", "indexes", "indexed", "indexing"),
        ("process", "processes", "processing"),
        ("run", "running"),
        ("database", "databases"),
        ("colour", "colours", "coloured"),
        ("city", "cities"),
        ("string", "strings"),
    ],
)
def test_forms_of_one_word_fold_to_one_term(family: tuple[str, ...]) -> None:
    assert len({fold(word) for word in family}) == 1


@pytest.mark.parametrize("word", ["bus", "ring", "seed", "feed", "house1", "häuser", "с", "ss"])
def test_words_without_an_english_ending_stay_as_they_are(word: str) -> None:
    assert fold(word) == word


def test_string_is_not_a_form_of_str() -> None:
    assert fold("string") != fold("str")


def test_width_case_and_underscores_do_not_matter() -> None:
    assert terms("ＡＢＣ STRASSE straße snake_word") == ["abc", "strass", "strass", "snak", "word"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C++, C# and F#; g++ C++/CLI", "c++ c# and f# g++ c++ cli"),
        ("C++17 .NET8 Notepad++'s Ｃ＋＋", "c++ 17 .net 8 notepad++ s c++"),
        (".NET (.net Core) and VB", ".net .net core and vb"),
        ("AT&T R&D, B&B's Q&A; h&m", "at&t r&d b&b s q&a h&m"),
        ("AT&T의 C++言語 使用.NET 米R&D費", "at&t 의 c++ 言語 使用 .net 米r&d 費"),
        ("node.js end.Next example.net a.b .network", "node js end next example net a b network"),
        ("a+b a++b 1+1 100+ Disney+ + ++ C+", "a b a b 1 1 100 disney c"),
        ("#hashtag issue#12 a#b # C. x.#", "hashtag issue 12 a b c x"),
        ("A & B a&lt;b 1&b ab&cd rock&roll &amp;", "a b a lt b 1 b ab cd rock roll amp"),
        ("covid-19 well-known 2024-10-12", "covid 19 well known 2024 10 12"),
    ],
)
def test_signs_divide_words_but_in_names_that_are_others_without_them(
    text: str, expected: str
) -> None:
    assert words(text) == expected.split()


def test_a_blob_in_a_page_is_a_word_and_read_as_soon_as_any() -> None:
    """Read in the square of its length it would take minutes."""
    blob = "x" * MAX_TEXT
    assert terms(f"{blob[1:]}=") == [blob[1:]]
    assert terms(f"\u00fc{blob[1:]}") == [f"\u00fc{blob[1:]}"]


@pytest.mark.parametrize(
    ("text", "together"),
    [
        ("COVID-19 covid‑19 COVID19", ["covid19"] * 3),
        ("MP3-players and an mp3-player", ["mp3player"] * 2),
        ("F-16 GPT-4o utf-8", ["f16", "gpt4o", "utf8"]),
        ("the-covid-19-pandemic 新冠COVID-19疫情", ["covid19"] * 2),
        ("well-known 2024-10-12 737-800 - -1 x- covid 19", []),
    ],
)
def test_two_words_with_a_hyphen_between_letter_and_digit_are_a_term_together(
    text: str, together: list[str]
) -> None:
    said = terms(text)
    parts = [term for word in words(text) for term in terms(word)]
    assert [term for term in said if term in together] == together
    assert [term for term in said if term not in together] == [
        term for term in parts if term not in together
    ]


def test_text_without_spaces_becomes_pairs() -> None:
    assert terms("全文検索 x日本y 水") == ["全文", "文検", "検索", "x", "日本", "y", "水"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("बागवानी, क्षत्रिय।", ["बागवानी", "क्षत्रिय"]),  # Hindi
        ("தோட்டக்கலை", ["தோட்டக்கலை"]),  # Tamil
        ("উদ্যানপালন", ["উদ্যানপালন"]),  # Bengali
        ("ದೆಹಲಿ ഡൽഹി దిల్లీ ਦਿੱਲੀ દિલ્હી", ["ದೆಹಲಿ", "ഡൽഹി", "దిల్లీ", "ਦਿੱਲੀ", "દિલ્હી"]),
        ("འབྲུག་ཡུལ", ["འབྲུག", "ཡུལ"]),  # Tibetan divides syllables
        ("\U00011107\U00011127\U00011145", ["\U00011107\U00011127\U00011145"]),  # Chakma
        ("မြန်မာ", ["မြန်", "န်မာ"]),
        ("ខ្មែរ", ["ខ្មែ", "មែរ"]),
        ("ลิ้น", ["ลิ้น"]),
        ("ລາວ", ["ລາ", "າວ"]),
        ("مُحَمَّدٌ كتـــاب هٰذا", ["محمد", "كتاب", "هذا"]),
        ("שָׁלוֹם שׁלום", ["שלום", "שלום"]),
        ("می\u200cخواهم", ["میخواهم"]),  # a joiner inside a word
        ("İstanbul ISTANBUL istanbul", ["istanbul"] * 3),
        ("Việt Vie\u0323\u0302t e\u0301té", ["việt", "việt", "été"]),
        ("мо́ре Йод", ["море", "йод"]),  # stress, and a letter
        ("Μαΐου ἀθηνᾶ", ["μαΐου", "ἀθηνᾶ"]),
        ("gar\u00adden \ufeffgarden gar\u2060den", ["garden"] * 3),
        ("1\ufe0f\u20e3 ❤\ufe0f ◌\u093e \u0301", ["1"]),  # a mark alone is no word
        ("rock’n’roll l'été", ["rock", "n", "roll", "l", "été"]),
    ],
)
def test_a_word_is_its_letters_with_their_marks(text: str, expected: list[str]) -> None:
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        normal = [normalize("NFC", term) for term in terms(normalize(form, text))]
        assert normal == [normalize("NFC", term) for term in expected]


PARTICLES = """
은/는 이/가 을/를 과/와 으로/로 으로는/로는 의 에 에는 에서 에서는 에서도 에게 도 만
까지 까지는 부터 보다 처럼 들이 들은 입니다 이라는
"""


@pytest.mark.parametrize("word", ["화산", "고양이", "제주도", "속도", "나무", "물", "고속도로"])
@pytest.mark.parametrize("particle", PARTICLES.split())
def test_a_korean_word_is_met_whatever_particle_follows(word: str, particle: str) -> None:
    closed, _, open_ = particle.partition("/")
    ends_in_vowel = (ord(word[-1]) - 0xAC00) % 28 == 0
    attached = word + (open_ if open_ and ends_in_vowel else closed)
    assert set(terms(word)) & set(terms(attached))


def test_the_usual_particles_add_nothing_to_a_korean_word() -> None:
    said = terms(
        "화산은 화산이 화산을 화산과 화산의 화산에 화산에서는 화산으로 화산까지도 화산만 화산보다"
    )
    assert said == ["화산"] * 11
    assert terms("나무는 나무가 나무를 나무와 나무로") == ["나무"] * 5
    assert terms("사과 국가 마을") == ["사과", "국가", "마을"]  # the particle does not suit


LETTERS = "aÉ\u0301\u0323\u0307İßΐ각\u1100\u1161\u11a8はば\u3099กิ้ำကျာ်कि्\u093c़ক\u09c7\u09be"
LETTERS += "שּׁ\u05b8مّ\u0670\u0640آ\u0653\u200d\u200b\u00ad\ufe0f'’_-. \u034f\ud800😀ﬁ½²\u0345"
TEXTS = st.one_of(st.text(st.characters(exclude_categories=())), st.text(st.sampled_from(LETTERS)))


@given(TEXTS)
def test_words_are_the_same_in_any_form_and_when_they_are_read_again(text: str) -> None:
    said = words(text)
    assert words(" ".join(said)) == said
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert words(normalize(form, text)) == said
        assert terms(normalize(form, text)) == terms(text)


@given(st.text())
def test_ascii_shortcut_gives_what_any_text_gives(text: str) -> None:
    ascii_text = text.encode("ascii", "replace").decode()
    assert words(ascii_text) == words(ascii_text + " é")[:-1]


@given(st.text())
def test_terms_are_never_empty_and_have_no_space(text: str) -> None:
    assert all(term and not any(map(str.isspace, term)) for term in terms(text))


def test_endless_text_is_read_to_a_bound() -> None:
    assert len(words("a " * MAX_TEXT)) == MAX_TEXT // 2


def test_lists_hold_words_as_the_tokens_come() -> None:
    assert all(words(word) == [word] for word in FUNCTION_WORDS)
