"""Digests made of compiled parts, beside lists of words in a row that rensa reads itself."""

from __future__ import annotations

import re
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rensa import RMinHash

from frontier.duplicates._shingles import low_bytes, lowered, shingles, spaced
from frontier.duplicates.minhash import digest_of
from ranking.letters import clusters, folded


def plainly(text: str) -> tuple[int, int, list[int] | None]:
    text = folded(text)
    words = text.encode("utf-8", "replace").split()
    whole = int.from_bytes(blake2b(b" ".join(words), digest_size=8).digest(), "big")
    if len(text) > 20 * len(words):
        letters = re.sub(r"\s+", "", text[:40_000])
        words = [letter.encode("utf-8", "replace") for letter in clusters(letters)]
    if len(words) < 100:
        return whole, len(words), None
    sketch = RMinHash(num_perm=128, seed=1997)
    rows = (words[:20_000][place:] for place in range(3))
    sketch.update([b" ".join(row) for row in zip(*rows, strict=False)])
    return whole, len(words), [number & 0xFF for number in sketch.digest()]


TEXTS = st.text(alphabet=st.characters(exclude_categories=()), max_size=400)
SPACED = st.text(alphabet=st.sampled_from("aBß日\ud800 \t\n\x0b\x0c\r\x1c\x85\u3000"), max_size=400)


@given(st.one_of(TEXTS, SPACED), st.sampled_from([1, 7, 120]))
@example("ខ្មែរ" * 300, 1)
@example("", 1)
@example("a", 1)
@example("wörter 語 x " * 9000, 1)
@example("語\u3000\x1f" * 30_000, 1)
@example(f"{'a' * 5000} b ", 120)
def test_a_digest_is_that_of_the_words_one_by_one(text: str, times: int) -> None:
    digest = digest_of(text * times)
    signature = None if digest.signature is None else digest.signature.tolist()
    assert (digest.whole, digest.words, signature) == plainly(text * times)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("Vie\u0323\u0302t e\u0301té ", "Việt été "),
        ("مُحَمَّدٌ كتـــاب ", "محمد كتاب "),
        ("שָׁלוֹם ", "שלום "),
        ("İstanbul gar\u00adden ", "istanbul garden "),
        ("\u1112\u1161\u11ab ", "한 "),
        ("ខ្មែ\u200cរ", "ខ្មែរ"),
    ],
)
def test_texts_that_read_alike_have_one_digest(text: str, other: str) -> None:
    digest, same = digest_of(text * 120), digest_of(other * 120)
    assert digest[:2] == same[:2]
    assert digest.signature is not None
    assert digest.signature.tolist() == same.signature.tolist()


def test_of_text_without_spaces_a_letter_and_its_marks_are_a_word() -> None:
    assert digest_of("ខ្មែរ" * 60).words == 180


@given(st.binary(max_size=200))
def test_white_space_becomes_one_space(text: bytes) -> None:
    assert spaced(text) == (b" ".join(text.split()), len(text.split()))


@given(st.text(st.sampled_from("aBz@[`{Z \x0b\x1c\x7f0é"), max_size=40), st.integers(0, 3))
@example("a b", 0)
@example(" a", 0)
@example("a  b", 0)
def test_text_as_it_is_seen_on_a_page_is_only_put_in_lower_case(text: str, times: int) -> None:
    text = " ".join([text] * (times + 1))
    plain = text.casefold().encode()
    is_plain = text.isascii() and text and " ".join(text.split()) == text
    assert lowered(text) == ((plain, plain.count(b" ") + 1) if is_plain else None)


@given(st.lists(st.integers(0, 2**32 - 1)))
def test_of_numbers_the_lowest_byte_is_kept(numbers: list[int]) -> None:
    assert [*low_bytes(numbers)] == [number % 256 for number in numbers]


@pytest.mark.parametrize("size", [*range(3, 70), 1000])
def test_numbers_are_those_that_rensa_gives(size: int) -> None:
    letters = bytes(33 + number * 7 % 90 for number in range(size - 2))
    text = letters[:1] + b" " + letters[1:-1] + b" " + letters[-1:] if size > 4 else b"a b c"
    assert text.count(b" ") == 2
    found = np.empty(1, np.uint64)
    shingles(text, found)
    assert found.tolist() == RMinHash.hash_token_sets([[text]])[0]
