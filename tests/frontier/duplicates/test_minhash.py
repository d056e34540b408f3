"""Digests: what MinHash estimates is the share of shingles that two texts have in common."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.duplicates._kernels import shingles as shingled
from frontier.duplicates.minhash import SHORTEST, SIZE, digest_of, likeness

WHOLE = 4039970698348763139
SIGNATURE = [104, 180, 187, 49, 19, 121, 186, 246]
WORDS = [f"word{number}" for number in range(2000)]


def text_of(seed: int, words: int) -> list[str]:
    return random.Random(seed).choices(WORDS, k=words)


def changed(words: list[str], share: float) -> list[str]:
    """A copy in which whole runs at the end are other words, so that few shingles cross."""
    keep = round(len(words) * (1 - share))
    return words[:keep] + text_of(99, len(words) - keep)


def shingles(words: list[str]) -> set[tuple[str, ...]]:
    return set(zip(words, words[1:], words[2:], strict=False))


def similarity(one: list[str], other: list[str]) -> float:
    first, second = digest_of(" ".join(one)), digest_of(" ".join(other))
    assert first.signature is not None
    assert second.signature is not None
    return float(likeness(first.signature, second.signature[None])[0])


@pytest.mark.parametrize("share", [0.0, 0.05, 0.1, 0.2, 0.5, 1.0])
def test_the_estimate_is_near_the_jaccard_similarity(share: float) -> None:
    estimates, exact = [], []
    for seed in range(20):
        one = text_of(seed, 600)
        other = changed(one, share)
        both = shingles(one), shingles(other)
        exact.append(len(both[0] & both[1]) / len(both[0] | both[1]))
        estimates.append(similarity(one, other))
    assert abs(np.mean(estimates) - np.mean(exact)) < 0.03
    assert max(abs(a - b) for a, b in zip(estimates, exact, strict=True)) < 0.15


def test_letter_case_and_white_space_make_no_difference() -> None:
    words = text_of(1, 300)
    one, other = digest_of(" ".join(words)), digest_of("\n ".join(words).upper())
    assert one.whole == other.whole
    assert np.array_equal(one.signature, other.signature)


def test_a_short_text_has_no_signature() -> None:
    words = text_of(1, SHORTEST)
    assert digest_of(" ".join(words[1:])).signature is None
    assert digest_of(" ".join(words)).signature is not None


def test_texts_without_spaces_are_compared_by_letters() -> None:
    letters = [chr(0x4E00 + number) for number in range(3000)]
    one = random.Random(1).choices(letters, k=500)
    other = one[:450] + random.Random(2).choices(letters, k=50)
    unlike = random.Random(3).choices(letters, k=500)
    first, second, third = (digest_of("".join(each)) for each in (one, other, unlike))
    assert first.signature is not None
    assert second.signature is not None
    assert third.signature is not None
    alike = likeness(first.signature, np.stack([second.signature, third.signature]))
    assert 0.7 < alike[0] < 0.95
    assert alike[1] < 0.1


def test_a_digest_is_the_same_in_every_process_and_for_ever() -> None:
    digest = digest_of(" ".join(WORDS[:200]))
    assert digest.words == 200
    assert digest.signature is not None
    assert digest.signature.shape == (SIZE,)
    assert digest.whole == WHOLE
    assert digest.signature[:8].tolist() == SIGNATURE


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_no_text_makes_it_raise(text: str) -> None:
    digest_of(text)
    digest_of(text * 300)


WRITTEN = st.lists(st.text(st.characters(codec="ascii", min_codepoint=33), min_size=1, max_size=20))


def numbers(words: list[str], most: int = 1000, space: str = " ") -> tuple[int, int, list[int]]:
    out = np.zeros(most, np.uint64)
    n, whole = shingled(space.join(["", *words, ""]).encode(), out)
    return n, whole, out[: max(min(n - 2, most), 0)].tolist()


@given(WRITTEN, WRITTEN)
def test_shingles_are_equal_where_three_words_are(one: list[str], other: list[str]) -> None:
    words = one + other + one
    n, whole, found = numbers(words)
    seen: dict[tuple[str, ...], int] = {}
    threes = zip(words, words[1:], words[2:], strict=False)
    for three, number in zip(threes, found, strict=True):
        assert seen.setdefault(three, number) == number
    assert len(set(seen.values())) == len(seen)
    assert n == len(words)
    assert (numbers(words[::-1])[1] == whole) is (words == words[::-1])
