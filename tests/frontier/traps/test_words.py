"""The compiled reading of a page's words beside what regular expressions and numpy say."""

from __future__ import annotations

import re
from itertools import zip_longest
from zlib import crc32

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from frontier.traps._tables import is_noted, note
from frontier.traps._words import Which, Words
from frontier.traps.novelty import SiteWords, _cuts, words_of

_WORD = re.compile(r"(?<![^\W_])(?:[^\W\d_]{2,}|[0-9][0-9.,]*[0-9])(?![^\W_])")
_NO_FIGURE = re.compile(r"[0-9]{1,3}|[12][0-9]{3}|[0-9]{1,4}(?:[.,][0-9]{1,4}){2}")
_UNSPACED = re.compile("[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
TRICKY = "aBzéßİſΣςσ\u0130\u0301٣²½Ⅷ日本かガ한กขက\u1780\u309f\u30ff\u3400\u9fff\ua000😀𐐀\ud800"
TEXTS = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=()), max_size=1600),
    st.text(alphabet=st.sampled_from(f"{TRICKY} _.,-019"), max_size=300),
    st.text(alphabet=st.sampled_from("0129.,a_ "), max_size=300),
)


def plainly(text: str) -> tuple[list[int], list[int]]:
    found = [one for one in _WORD.findall(text.lower()) if not _NO_FIGURE.fullmatch(one)]
    found = [part for one in found for part in taken_apart(one)]
    found = [one for one in found if len(one) <= 40]
    hashes = [crc32(one.encode("utf-8", "replace")) for one in found]
    return hashes, [kind(one) for one in found]


def taken_apart(word: str) -> list[str]:
    if not _UNSPACED.search(word):
        return [word]
    return [word[at : at + 2] for at in range(len(word) - 1)]


def kind(word: str) -> int:
    if word.isascii():
        return -1 if word[0] <= "9" else 1
    return 0 if _UNSPACED.search(word) else 1


@given(TEXTS)
@example("a" * 40 + " " + "é" * 41 + " " + "語" * 50 + "ab語 " + "1" * 40 + " " + "1" * 41)
@example("1.2.3 1.2.34567 12,345.6 1..2.3 1.2.3.4 12345 1234 3234 0123 12.3a 12.34a 1a 1_22222")
@example("".join(map(chr, range(0x3000))))
def test_words_are_those_of_the_regular_expressions(text: str) -> None:
    text = text[:1600]
    found = words_of(text)
    hashes, kinds = plainly(text)
    assert (found.hashes, found.kinds) == (hashes, kinds)
    assert found.distinct == len(set(hashes))
    assert found.whole == crc32(np.array(hashes, "<u4").tobytes())


@given(st.text(st.sampled_from("aB1 ."), max_size=60), st.sampled_from(["", "é"]))
@example("a" * 60, "")
def test_of_a_long_text_the_cuts_are_read(text: str, last: str) -> None:
    text = text * 50 + last
    found = words_of(text)
    assert (found.hashes, found.kinds) == plainly(_cuts(text))


@pytest.mark.parametrize("text", ["1" * 10**6, "1.," * 10**6, "é" * 10**6, "語" * 10**6])
def test_no_text_takes_long(text: str) -> None:
    assert len(words_of(text).hashes) <= 1600


SAID = st.lists(st.sampled_from("ab cd ef gh 12345 6,789.5 語文字 日本".split()), max_size=60)  # noqa: SIM905
HASHES = st.lists(st.one_of(st.integers(0, 40), st.integers(0, 2**32 - 1)), max_size=300)


def tables_of(noted: list[int]) -> np.ndarray:
    tables = np.zeros((2, 16), np.uint8)
    for place, one in enumerate(noted):
        note(one, tables[place % 2])
    return tables


def known(hashes: np.ndarray, tables: np.ndarray) -> np.ndarray:
    places = (hashes >> np.uint32(3)).astype(np.int64) & (tables.shape[1] - 1)
    bits = np.left_shift(np.uint8(1), (hashes & np.uint32(7)).astype(np.uint8))
    return ((tables[0][places] | tables[1][places]) & bits) > 0


@given(HASHES, HASHES)
def test_a_table_has_the_bits_of_what_was_noted(first: list[int], other: list[int]) -> None:
    tables = np.zeros((2, 16), np.uint8)
    for row, said in enumerate((first, other)):
        bits = [one & 127 for one in said]
        new = [note(one, tables[row]) for one in said]
        assert new == [one not in bits[:at] for at, one in enumerate(bits)]
        assert np.flatnonzero(np.unpackbits(tables[row], bitorder="little")).tolist() == sorted(
            set(bits)
        )
    bits = [one & 127 for one in first + other]
    assert [one for one in range(128) if is_noted(one, tables)] == sorted(set(bits))


@given(SAID, SAID, SAID, st.lists(st.integers(0, 127), max_size=60))
def test_a_page_is_looked_at_as_numpy_would(
    said: list[str], named: list[str], of_url: list[str], noted: list[int]
) -> None:
    words, names, url = (Words(" ".join(one)) for one in (said, named, of_url))
    tables = tables_of(noted)
    hashes, kinds = np.array(words.hashes, np.uint32), np.array(words.kinds, np.int8)
    new = ~known(hashes, tables)
    counted = ~np.isin(hashes, names.hashes)
    news = new & counted
    expected = [len(np.unique(hashes[news & which])) for which in (kinds >= 0, kinds < 0)]
    found = words.look(names, tables)
    assert found == (*expected, (kinds > 0).sum(), (new & (kinds > 0)).sum())
    assert words.look(None, tables)[2:] == found[2:]
    words.look(names, tables)
    words.look_at_url(url)
    counted &= kinds >= 0
    own = counted & ~np.isin(hashes, url.hashes)
    pairs = hashes[:-1] * np.uint32(0x9E3779B1) ^ hashes[1:] * np.uint32(0x85EBCA77)
    for which, of in ((Which.COUNTED, counted), (Which.OLD, counted & ~new), (Which.OWN, own)):
        those = np.unique(pairs[of[:-1] & of[1:]])
        assert words.pairs(which, tables) == ((~known(those, tables)).sum(), len(those))
        assert words.has_new(which) == (new & of).any()


@given(SAID, st.lists(st.integers(0, 127), max_size=60))
def test_words_and_their_pairs_are_noted(said: list[str], noted: list[int]) -> None:
    words, tables, plain = Words(" ".join(said)), tables_of(noted), tables_of(noted)
    hashes = np.array(words.hashes, np.uint32)
    pairs = hashes[:-1] * np.uint32(0x9E3779B1) ^ hashes[1:] * np.uint32(0x85EBCA77)
    both = np.concatenate([hashes, pairs])
    none = np.zeros_like(tables[0])
    new = (~known(both, np.stack([plain[0], none]))).sum()
    for one in both.tolist():
        note(one, plain[0])
    assert words.note(tables[0]) == new
    assert tables.tolist() == plain.tolist()


@given(st.lists(TEXTS, max_size=6), st.lists(TEXTS, max_size=6))
def test_words_that_came_as_bytes_are_judged_as_those_that_were_cut(
    texts: list[str], names: list[str]
) -> None:
    here, there = SiteWords(pages=14), SiteWords(pages=14)
    for text, name in zip_longest(texts, names, fillvalue=""):
        words = words_of(text)
        again = Words.frombytes(words.tobytes())
        assert (again.hashes, again.kinds) == (words.hashes, words.kinds)
        assert (again.whole, again.distinct, len(again)) == (
            words.whole,
            words.distinct,
            len(words),
        )
        named = words_of(name) if name else None
        url = f"http://a.example/{name[:20]}"
        assert there.judge(again, named, url) is here.judge(words, named, url)
    assert there.tables.tolist() == here.tables.tolist()


@given(st.binary(max_size=60))
@example(bytes(4))
@example(bytes([0, 0, 0, 0, 3]))
def test_bytes_are_the_words_they_give_or_none(data: bytes) -> None:
    try:
        words = Words.frombytes(data)
    except ValueError:
        assert len(data) % 5 or max(data[-len(data) // 5 :]) > 2
    else:
        assert words.tobytes() == data
