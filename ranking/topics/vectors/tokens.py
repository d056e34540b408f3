"""Tables of token vectors: folders that model2vec wrote.

A token is a word or a part of one; a word's vector is the mean of its tokens'. The words of such a
table are the English ones of the built-in table and the whole words among its own tokens. Any other
word would be guessed from fragments: "asyncio" would be near "Reynoso". So no text of a topic or a
page ever reaches the tokenizer.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from ranking.errors import LinkRankError, MissingExtraError, TopicError
from ranking.topics.terms import is_unspaced
from ranking.topics.terms import words as words_of
from ranking.topics.vectors.languages import built_in_words
from ranking.topics.vectors.levelling import Pieces, by_rank, levelled
from ranking.topics.vectors.table import WordVectors

_LONGEST = 64  # letters of a word among the tokens
_WIDEST = 2048  # numbers of a row; what is done with them takes the cube, here some seconds
_MOST_WORDS = 250_000  # of a tokenizer's own; tables of many languages have more
_BATCH = 2_000  # words that are tokenized at once
_ROWS = 250  # of a table that are read at once
_BYTES: Final = "Ġ"  # a space, where tokens are bytes written as letters
_STARTS: Final = ("▁", _BYTES)  # of a token at the start of a word, where tokenizers mark that
_CONTINUES: Final = "##"  # or of one that is not, where they mark this
_BYTE = re.compile(r"<0x[0-9A-F]{2}>").fullmatch  # stands for a letter that is no token
_UNKNOWN = re.compile(rb'"unk_id"\s*:\s*(\d+)').search  # of a Unigram model; others name a token


class TableCut(NamedTuple):
    """n words as a tokenizer cuts them: the built-in ones, then others that are tokens."""

    words: list[str]
    ranks: Any  # integers: of the others, among all words that are tokens
    counts: Any  # (n,) integers: tokens of each word, but for those that stand for any letter
    tokens: Any  # integers: their ids, word after word


def read_tokens(spec: str) -> WordVectors:
    """Return the words of the table of token vectors in a folder.

    Raises `TopicError` where a file is missing or not what it should be, `MissingExtraError`
    without safetensors or tokenizers.
    """
    folder = Path(os.path.expanduser(spec))  # noqa: PTH111 - it never raises
    if not spec or not os.path.isdir(folder):  # noqa: PTH112 - nor does it
        raise TopicError(
            'expected FRONTIER_VECTORS to be "auto", "built-in", "multilingual", "off", '
            f"or a folder with model.safetensors and tokenizer.json; got {spec[:80]!r}. "
            'Correct it, or leave it out to use "auto".'
        )
    table = folder / "model.safetensors"
    with _opened(table) as file:
        source, rows, weights = _tables(table, file)
        cut = cut_words(folder / "tokenizer.json", built_in_words(), len(rows))
        pieces = _pieces(table, cut, source, rows, weights)
    n = len(cut.counts)
    shares = by_rank(n)
    shares[n - len(cut.ranks) :] = shares[cut.ranks]
    terms, shares, vectors = levelled(cut.words, shares, pieces)
    return WordVectors(spec, f"{folder.name} in {folder}", terms, shares, vectors)


def _pieces(path: Path, cut: TableCut, table: Any, rows: Any, weights: Any) -> Pieces:
    """The words of a cut as sums of those rows of a table that they need."""
    vectors, scales, places = _used(table, rows[cut.tokens])
    rows = places[rows]
    usable = ((rows >= 0) & np.isfinite(weights) & (weights != 0.0))[cut.tokens]
    if not usable.any():
        got = "NaN, infinity or 0 in each row of a known word" if len(usable) else "no known word"
        raise TopicError(_unusable(path, "vectors of words", got))
    token, n = cut.tokens[usable], len(cut.counts)
    word = np.repeat(np.arange(n, dtype=np.int32), cut.counts)[usable]
    counts = np.bincount(word, minlength=n)
    factors = weights[token] * scales[rows[token]]
    factors /= counts.astype(np.float32)[word]
    return Pieces(vectors, np.append(0, np.cumsum(counts)).astype(np.int32), rows[token], factors)


def cut_words(path: Path, words: list[str], most: int) -> TableCut:
    """Cut the built-in words and the whole words among its tokens by the tokenizer of a file.

    Raises `TopicError` where it is none, or has more than `most` tokens.
    """
    tokenizer, vocabulary, senseless = _tokenizer(path)
    n = max(vocabulary.values(), default=-1) + 1
    if n > most:
        wanted = f"at most {most:,} tokens, as the table has rows for"
        raise TopicError(_unusable(path, wanted, f"{n:,} tokens"))
    marked = {mark: sum(token.startswith(mark) for token in vocabulary) for mark in _STARTS}
    mark = max(_STARTS, key=marked.__getitem__) if any(marked.values()) else ""
    own = list(dict.fromkeys(_whole_words(vocabulary, mark)))[:_MOST_WORDS]
    known = set(words)
    ranks = [rank for rank, word in enumerate(own) if word not in known]
    words = words + [own[rank] for rank in ranks]
    spaced = [f" {word}" for word in words] if mark == _BYTES else words
    places, tokens = [np.empty(0, np.int64)], [np.empty(0, np.int64)]

    def cut(begin: int, end: int) -> None:
        some = spaced[begin:end]
        try:
            made = tokenizer.encode(some, is_pretokenized=True, add_special_tokens=False)
        except Exception:  # each tokenizer has its own reasons
            for at in range(begin, end) if end - begin > 1 else ():
                cut(at, at + 1)
        else:
            places.append(np.array(made.word_ids, np.int64) + begin)
            tokens.append(np.array(made.ids, np.int64))

    for begin in range(0, len(words), _BATCH):
        cut(begin, min(begin + _BATCH, len(words)))
    token = np.concatenate(tokens)
    sense = ~np.isin(token, senseless)
    counts = np.bincount(np.concatenate(places)[sense], minlength=len(words))
    return TableCut(words, np.array(ranks, np.int64), counts, token[sense])


def _whole_words(vocabulary: dict[str, int], mark: str) -> Iterator[str]:
    """Yield the words among tokens, as they stand in the vocabulary: mostly by frequency."""
    from tokenizers.decoders import ByteLevel

    letters = ByteLevel()
    for token in sorted(vocabulary, key=vocabulary.__getitem__):
        if token.startswith(_CONTINUES) or not (token.startswith(mark) or is_unspaced(token)):
            continue
        text = token.removeprefix(mark)
        if mark == _BYTES:  # letters beyond ASCII are written as bytes
            text = letters.decode([text])
        text = text.casefold()
        if 2 <= len(text) <= _LONGEST and text[0].isalpha() and words_of(text) == [text]:
            yield text


def _tokenizer(path: Path) -> tuple[Any, dict[str, int], list[int]]:
    """The tokenizer of a file, the ids of its tokens, and of those that stand for anything."""
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError("tokenizers", "FRONTIER_VECTORS", "meaning") from error
    try:
        unknown = _UNKNOWN(path.read_bytes())
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # of many kinds
        raise TopicError(_unusable(path, "a tokenizer", str(error)[:200])) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    vocabulary = tokenizer.get_vocab()
    senseless = [at for token, at in vocabulary.items() if _BYTE(token)]
    named = vocabulary.get(getattr(tokenizer.model, "unk_token", None) or "")
    senseless += [named] if named is not None else []
    return tokenizer, vocabulary, senseless + ([int(unknown[1])] if unknown else [])


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """A file of safetensors; raises `TopicError` where it cannot be read."""
    try:
        from safetensors import safe_open
    except ImportError as error:
        raise MissingExtraError("safetensors", "FRONTIER_VECTORS", "meaning") from error
    try:
        with safe_open(path, "numpy") as file:
            yield file
    except LinkRankError:
        raise
    except Exception as error:  # of many kinds
        raise TopicError(_unusable(path, "tables of numbers", str(error)[:200])) from error


def _tables(path: Path, file: Any) -> tuple[Any, Any, Any]:
    """(n, d) vectors, which are not yet read; of each token, its row among them and its weight."""
    held = {key: file.get_slice(key) for key in file.keys()}  # noqa: SIM118 - no mapping
    shapes = {key: tuple(table.get_shape()) for key, table in held.items()}
    tables = [key for key, size in shapes.items() if len(size) == 2 and 0 not in size]
    if len(tables) != 1 or shapes[tables[0]][1] > _WIDEST:
        wanted = f"one table with a row a token, {_WIDEST:,} numbers at most"
        raise TopicError(_unusable(path, wanted, str(shapes)[:200]))
    (n, _), table = shapes[tables[0]], held[tables[0]]
    rows = file.get_tensor("mapping").astype(np.int64) if "mapping" in held else np.arange(n)
    weights = np.ones(len(rows), np.float32)
    if "weights" in held:
        weights = file.get_tensor("weights").astype(np.float32)
    if weights.shape != rows.shape or not ((rows >= 0) & (rows < n)).all():
        wanted = f"a weight and one of {n:,} rows for each token"
        raise TopicError(_unusable(path, wanted, f"{len(weights):,} and {len(rows):,}"))
    return table, rows, weights


def _used(table: Any, rows: Any) -> tuple[Any, Any, Any]:
    """Some rows of a table that have numbers, not all 0, in 127ths of their largest; these 127ths;
    (n,) the place of each, -1 of others.
    """
    n, d = table.get_shape()
    used, places = np.zeros(n, bool), np.full(n, -1, np.int32)
    used[rows] = True
    vectors = np.empty((np.count_nonzero(used), d), np.int8)
    scales = np.empty(len(vectors), np.float32)
    end = 0
    for at in range(0, n, _ROWS):
        some = np.flatnonzero(used[at : at + _ROWS])
        with np.errstate(over="ignore"):
            part = table[at : min(at + _ROWS, n)][some].astype(np.float32)
        largest = np.abs(part).max(axis=1, initial=0.0)
        good = np.isfinite(largest) & (largest > 0.0)
        begin, end = end, end + np.count_nonzero(good)
        scales[begin:end] = largest[good] / 127.0
        vectors[begin:end] = np.rint(part[good] / scales[begin:end, None])
        places[at + some[good]] = np.arange(begin, end)
    return vectors[:end], scales[:end], places


def _unusable(path: Path, wanted: str, got: str) -> str:
    return (
        f"expected {path} to hold {wanted}, as model2vec writes it; got {got}. "
        'Name a folder with model.safetensors and tokenizer.json, or set FRONTIER_VECTORS = "auto".'
    )
