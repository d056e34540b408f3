"""Ranking: exact answers on a small web, whatever is asked."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.errors import SearchError
from frontier.search import IndexedPage, SearchIndex, read_weights, search
from frontier.search.answers import WEIGHTS, search_in
from frontier.search.index import PageNumbers
from frontier.search.snippets import LETTERS, snippet

TEXTS = {
    1: ("http://a.example/comets", "Comets", "Balls of ice and dust that come near the sun."),
    2: ("http://a.example/moons", "Moons", "A moon goes around a planet, not around the sun."),
    3: ("http://b.example/x7", "The Who", "A band that played loud music in London."),
    4: ("http://c.example/tokyo", "東京都庁", "東京都庁は新宿にある。京都ではない。"),
    5: ("http://c.example/kyoto", "京都", "京都は古い都である。"),
    6: ("http://d.example/thai", "อาหาร", "กินข้าวกับปลาทุกวัน"),
    7: ("http://d.example/state", "Progress", "What is the state of the art in telescopes?"),
    8: ("http://d.example/art", "Progress", "Art of a state, the telescopes of the king."),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    directory = tmp_path_factory.mktemp("index")
    with SearchIndex.open(directory, write=True) as writer:
        writer.add(IndexedPage(url_id, *texts) for url_id, texts in TEXTS.items())
        writer.set_links({2: "satellit of earth"})
    return SearchIndex.open(directory)


def ids(index: SearchIndex, words: str, **weights: float) -> list[int]:
    numbers = {url: url_id for url_id, (url, _, _) in TEXTS.items()}
    return [numbers[one.url] for one in search_in(index, words, 10, weights).answers]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("comet", [1]),
        ("COMETS!", [1]),
        ("satellites", [2]),
        ("x7", [3]),
        ("musics london", [3]),
        ("the who", [3, 7, 8, 1, 2]),
        ("sun", [1, 2]),
        ("sun -moon", [1]),
        ("東京", [4]),
        ("京都", [5, 4]),
        ("新宿", [4]),
        ("ข้าว", [6]),
        ("telescopes", [7, 8]),
        ('"state of the art"', [7]),
        ('telescopes "state of the art"', [7]),
        ('telescopes -"state of the art"', [8]),
        ('"satellite of earth"', [2]),
        ("unheard", []),
    ],
)
def test_each_field_and_each_script_finds_its_page(
    index: SearchIndex, words: str, expected: list[int]
) -> None:
    assert ids(index, words) == expected


WRITTEN = (
    *("cafe", "café", "Łódź", "lodz", "Ørsted", "orsted", "ısı", "Việt", "viet", "Straße"),
    *("c", "C++", "C#", "net", ".NET", "at", "AT&T", "が", "か", "한국", "京都", "strasse"),
)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("cafe", ["cafe", "café"]),
        ("café", ["café", "cafe"]),
        ("CAFES", ["cafe", "café"]),
        ("cafe\u0301", ["café", "cafe"]),
        ("lodz", ["lodz", "Łódź"]),
        ("łódź", ["Łódź", "lodz"]),
        ("orsted", ["orsted", "Ørsted"]),
        ("İSİ", ["ısı"]),
        ("viet", ["viet", "Việt"]),
        ("strasse", ["Straße", "strasse"]),
        ("c", ["c"]),
        ("c++", ["C++"]),
        ("c#", ["C#"]),
        (".net", [".NET"]),
        ("net", ["net"]),
        ("at&t", ["AT&T"]),
        ("が", ["が"]),
        ("京", ["京都"]),
        ("都", ["京都"]),
        ("都 -京", []),
        ("国", []),
    ],
)
def test_words_are_found_with_other_accents_but_first_as_written_and_names_by_their_signs(
    tmp_path: Path, words: str, expected: list[str]
) -> None:
    with SearchIndex.open(tmp_path, write=True) as writer:
        writer.add(IndexedPage(at, f"http://x.example/{at}", "", w) for at, w in enumerate(WRITTEN))
        report = search_in(writer, words)
    found = [WRITTEN[int(one.url.rpartition("/")[2])] for one in report.answers]
    assert found == expected
    shown = [
        "".join(part for part, is_marked in one.snippet if is_marked) for one in report.answers
    ]
    assert shown == [one if len(words) > 1 or one != "京都" else words for one in expected]


@pytest.mark.parametrize(
    ("words", "expected"),
    [("covid19", "ba"), ("covid-19", "ab"), ('"covid 19 cases"', "a"), ("-covid19", "")],
)
def test_a_hyphen_between_letter_and_digit_may_be_left_out(
    tmp_path: Path, words: str, expected: str
) -> None:
    with SearchIndex.open(tmp_path, write=True) as writer:
        writer.add([IndexedPage(0, "http://a.example/", "", "covid-19 cases")])
        writer.add([IndexedPage(1, "http://b.example/", "", "COVID19 many")])
        assert "".join(one.url[7] for one in search_in(writer, words).answers) == expected


@pytest.mark.parametrize(
    ("words", "missing"),
    [("-sun", {1, 2}), ("-comets", {1}), ('-"around a planet" -london', {2, 3}), ("-京", {4, 5})],
)
def test_a_word_that_must_not_occur_is_a_query(
    index: SearchIndex, words: str, missing: set[int]
) -> None:
    assert ids(index, words) == sorted(set(TEXTS) - missing)


def test_pages_without_a_word_come_best_first(tmp_path: Path) -> None:
    with numbered(
        tmp_path, {2: PageNumbers(1.0, None, None), 3: PageNumbers(0.5, 1.0, 2)}
    ) as index:
        assert [one.url[7] for one in search_in(index, "-iron").answers] == ["c", "a", "d", "e"]
        assert search_in(index, "-ice").answers == ()


def test_function_words_are_found_where_nothing_else_is_asked(index: SearchIndex) -> None:
    assert ids(index, "the who sun") in ([1, 2], [2, 1])


@pytest.mark.parametrize("words", ["", "  ", '"', '""', "-", "*", "((", "-*"])
def test_a_query_without_words_says_so(index: SearchIndex, words: str) -> None:
    report = search_in(index, words)
    assert (report.answers, report.pages) == ((), len(TEXTS))
    assert "Nothing was asked" in str(report.note)


def test_a_query_that_nothing_answers_says_so(index: SearchIndex) -> None:
    assert "No page" in str(search_in(index, "unheard of").note)


@given(
    st.one_of(
        st.text(max_size=60),
        st.text(alphabet="\"'-*^():{}+ \x00\ud800abcAND OR NOT NEAR title:", max_size=60),
        st.lists(
            st.sampled_from(["comets", '"', "-", "AND", "NEAR(", "東京", "title:", ")", "*", "'"])
        ).map(" ".join),
    )
)
def test_no_text_is_an_error(index: SearchIndex, words: str) -> None:
    report = search_in(index, words)
    assert report.note is not None or report.answers
    assert len(report.terms) <= 64


def test_a_query_of_ten_thousand_words_is_answered(index: SearchIndex) -> None:
    words = " ".join(f'w{n} -v{n} "a{n} b{n}"' for n in range(10_000))
    assert search_in(index, words).answers == ()
    assert ids(index, "comet " + " ".join(f"w{n}" for n in range(10_000))) == [1]


def test_the_score_is_the_sum_of_its_parts_and_words_alone_give_the_best_page_1(
    index: SearchIndex,
) -> None:
    report = search_in(index, "sun moons comets")
    words_alone = [
        sum(one.parts.get(name, 0) for name in ("title", "text", "links", "url"))
        for one in report.answers
    ]
    assert max(words_alone) == pytest.approx(1)
    for one in report.answers:
        assert one.score == pytest.approx(math.fsum(one.parts.values()))
    assert [one.score for one in report.answers] == sorted(
        (one.score for one in report.answers), reverse=True
    )


def test_a_field_without_weight_neither_finds_nor_counts(index: SearchIndex) -> None:
    assert ids(index, "satellites", links=0) == []
    assert ids(index, "x7", url=0) == []
    parts = search_in(index, "comets", 1, {"title": 0}).answers[0].parts
    assert "title" not in parts
    assert set(parts) <= set(WEIGHTS)


@pytest.mark.parametrize(
    ("words", "first"),
    [("telescope", "a"), ("telescopes", "b"), ("telescoping", "c"), ("a mirror", "c")],
)
def test_a_word_as_it_is_written_comes_before_its_other_forms_and_function_words_decide(
    tmp_path: Path, words: str, first: str
) -> None:
    texts = {"a": "telescope mirror", "b": "telescopes mirror", "c": "telescoping a mirror"}
    with SearchIndex.open(tmp_path, write=True) as writer:
        for url_id, (name, text) in enumerate(texts.items()):
            writer.add([IndexedPage(url_id, f"http://{name}.example/", "", text)])
        found = [one.url[7] for one in search_in(writer, words).answers]
        assert (found[0], set(found)) == (first, set(texts))


def numbered(directory: Path, numbers: dict[int, PageNumbers]) -> SearchIndex:
    """Five pages that say the same."""
    with SearchIndex.open(directory, write=True) as writer:
        for url_id in range(1, 6):
            url = f"http://{'abcde'[url_id - 1]}.example/"
            writer.add([IndexedPage(url_id, url, "Comets", "Ice and dust.")])
        writer.set_numbers(numbers)
    return SearchIndex.open(directory)


def test_authority_and_relevance_decide_among_equal_words(tmp_path: Path) -> None:
    numbers = {
        2: PageNumbers(1.0, None, None),
        3: PageNumbers(0.0, 1.0, None),
        4: PageNumbers(1.0, 1.0, None),
    }
    with numbered(tmp_path, numbers) as index:
        first = [one.url[7] for one in search_in(index, "ice").answers]
        assert first == ["d", "c", "b", "a", "e"]
        first = [one.url[7] for one in search_in(index, "ice", 10, {"authority": 0}).answers]
        assert first == ["c", "d", "a", "b", "e"]


def test_pages_that_repeat_each_other_are_folded_into_the_best_and_counted(tmp_path: Path) -> None:
    numbers = {
        1: PageNumbers(0.5, None, 2),
        2: PageNumbers(0.1, None, None),
        3: PageNumbers(0.0, None, 1),  # by way of another copy
        4: PageNumbers(0.9, None, 99),  # of a page that is not found
    }
    with numbered(tmp_path, numbers) as index:
        report = search_in(index, "ice")
        assert [(one.url[7], one.folded) for one in report.answers] == [
            ("d", 0),
            ("a", 2),
            ("e", 0),
        ]
        assert (report.pages, report.found, report.folded) == (5, 5, 2)


def test_two_pages_that_name_each_other_as_twins_are_one_answer(tmp_path: Path) -> None:
    numbers = {1: PageNumbers(0.5, None, 2), 2: PageNumbers(0.1, None, 1)}
    with numbered(tmp_path, numbers) as index:
        assert [one.url[7] for one in search_in(index, "ice").answers] == ["a", "c", "d", "e"]


@pytest.mark.parametrize(
    "text", ["title", "title=", "title=x", "titel=1", "text=-1", "text=nan", "text=inf", "=1"]
)
def test_weights_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(SearchError, match="expected weights as title=2"):
        search(Path("nowhere"), "x", weights=read_weights(text)) if text == "titel=1" else (
            read_weights(text)
        )


def test_weights_are_read_and_the_others_stay() -> None:
    assert read_weights("title=2, links=.5") == {**WEIGHTS, "title": 2.0, "links": 0.5}
    assert read_weights("") == WEIGHTS


def marked(text: str, *asked: str) -> str:
    return "".join(
        f"[{part}]" if is_marked else part for part, is_marked in snippet(text, set(asked))
    )


def test_a_snippet_shows_where_most_of_the_words_stand_and_marks_them() -> None:
    text = "A comet is seen. " + "Nothing to see here. " * 40 + "The comets' dust, a Comet’s ice."
    shown = marked(text, "comet", "dust", "ice")
    assert shown.startswith("…")
    assert shown.endswith("The [comets]' [dust], a [Comet]’s [ice].")
    assert len(shown) < LETTERS + 20


def test_a_snippet_of_a_page_that_says_none_of_the_words_is_its_beginning() -> None:
    assert marked("Nothing to see here.", "comet") == "Nothing to see here."
    assert marked("", "comet") == ""


def test_a_single_letter_and_a_name_with_signs_are_marked() -> None:
    assert marked("東京都庁へ", "都") == "東京[都]庁へ"
    assert marked("C, C++ and c.", "c++") == "C, [C++] and c."
    assert marked("Un café, cafe\u0301.", "caf") == "Un [café], [cafe\u0301]."
    assert marked("שָׁלוֹם עולם", "שלום") == "[שָׁלוֹם] עולם"
    assert marked("كِتَاب جديد", "كتاب") == "[كِتَاب] جديد"


def test_pairs_of_letters_are_marked_where_they_stand() -> None:
    assert marked("これは東京都庁です", "東京", "京都") == "これは[東京都]庁です"
    assert marked("कि क कि", "क") == "कि [क] कि"


@given(st.text(max_size=400), st.sets(st.sampled_from(["a", "0", "東京", "comet", "é"])))
def test_a_snippet_is_a_part_of_its_text(text: str, asked: set[str]) -> None:
    parts = snippet(text, asked)
    shown = "".join(part for part, _ in parts).removeprefix("…")
    assert shown.removesuffix("…") in text or shown in text
    assert all(part for part, _ in parts)
