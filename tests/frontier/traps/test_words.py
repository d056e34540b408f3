"""The compiled reading of a page's words beside what regular expressions and numpy say."""

from __future__ import annotations

import random
import re
from zlib import crc32

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from frontier.traps._words import distinct, look, note, others, unknown
from frontier.traps.novelty import words_of

_WORD = re.compile(r"(?<![^\W_])(?:[^\W\d_]{2,}|[0-9][0-9.,]*[0-9])(?![^\W_])")
_NO_FIGURE = re.compile(r"[0-9]{1,3}|[12][0-9]{3}|[0-9]{1,4}(?:[.,][0-9]{1,4}){2}")
_UNSPACED = re.compile("[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
TRICKY = "aBzéßİſΣςσ\u0130\u0301٣²½Ⅷ日本かガ한กขက\u1780\u309f\u30ff\u3400\u9fff\ua000😀𐐀\ud800"
TEXTS = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=()), max_size=1600),
    st.text(alphabet=st.sampled_from(f"{TRICKY} _.,-019"), max_size=300),
    st.text(alphabet=st.sampled_from("0129.,a_ "), max_size=300),
)
HASHES = st.lists(st.one_of(st.integers(0, 40), st.integers(0, 2**32 - 1)), max_size=300)


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
    assert (found.hashes.tolist(), found.kinds.tolist()) == plainly(text)
    assert found.distinct == len(set(found.hashes.tolist()))


@pytest.mark.parametrize("text", ["1" * 10**6, "1.," * 10**6, "é" * 10**6, "語" * 10**6])
def test_no_text_takes_long(text: str) -> None:
    assert len(words_of(text).hashes) <= 1600


@given(HASHES, HASHES, st.randoms(use_true_random=False))
def test_sets_are_those_of_numpy(first: list[int], other: list[int], rng: random.Random) -> None:
    hashes, names = np.array(first, np.uint32), np.array(other, np.uint32)
    of = np.array([rng.random() < 0.5 for _ in first], np.bool_)
    found = np.empty_like(hashes)
    n = distinct(hashes, of.view(np.uint8), found)
    assert sorted(found[:n].tolist()) == np.unique(hashes[of]).tolist()
    mask = np.empty(len(hashes), np.bool_)
    others(hashes, names, mask.view(np.uint8))
    assert mask.tolist() == (~np.isin(hashes, names)).tolist()


@given(HASHES, HASHES)
def test_tables_are_those_of_numpy(first: list[int], other: list[int]) -> None:
    size = 16
    plain, tables = np.zeros((2, size), np.uint8), np.zeros((2, size), np.uint8)
    for row, said in enumerate((first, other)):
        hashes = np.array(said, np.uint32)
        places = (hashes >> np.uint32(3)).astype(np.int64) & (size - 1)
        bits = np.left_shift(np.uint8(1), (hashes & np.uint32(7)).astype(np.uint8))
        assert note(hashes, tables[row]) == np.count_nonzero((plain[row][places] & bits) == 0)
        np.bitwise_or.at(plain[row], places, bits)
        assert tables.tolist() == plain.tolist()
        new = np.empty(len(hashes), np.bool_)
        unknown(hashes, tables, new.view(np.uint8))
        assert new.tolist() == (((plain[0][places] | plain[1][places]) & bits) == 0).tolist()


@given(st.lists(st.integers(0, 60), min_size=1, max_size=300), HASHES, HASHES, st.randoms())
def test_a_page_is_looked_at_as_numpy_would(
    first: list[int], other: list[int], before: list[int], rng: random.Random
) -> None:
    hashes, names = np.array(first, np.uint32) * np.uint32(977), np.array(other, np.uint32)
    kinds = np.array([rng.choice([-1, 0, 1]) for _ in first], np.int8)
    tables = np.zeros((2, 16), np.uint8)
    note(np.array(before, np.uint32), tables[1])
    new, counted = np.empty(len(first), np.bool_), np.empty(len(first), np.bool_)
    said, known = np.empty(2 * len(first) - 1, np.uint32), np.empty(len(first), np.bool_)
    found = look(hashes, kinds, names, tables, new.view(np.uint8), counted.view(np.uint8), said)
    unknown(hashes, tables, known.view(np.uint8))
    assert new.tolist() == known.tolist()
    assert counted.tolist() == (~np.isin(hashes, names)).tolist()
    pairs = hashes[:-1] * np.uint32(0x9E3779B1) ^ hashes[1:] * np.uint32(0x85EBCA77)
    assert said.tolist() == [*hashes.tolist(), *pairs.tolist()]
    news = new & counted
    expected = [len(np.unique(hashes[news & which])) for which in (kinds >= 0, kinds < 0)]
    assert found == (*expected, (kinds > 0).sum(), (new & (kinds > 0)).sum())
