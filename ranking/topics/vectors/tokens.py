"""Tables of token vectors: model2vec's folders, and the one inside the wordllama package.

A token is a word or a part of one; a word's vector is the mean of its tokens'. The words of such a
table are the English ones of the built-in table and the whole words among its own tokens. Any other
word would be guessed from fragments: "asyncio" would be near "Reynoso". So no text of a topic or a
page ever reaches the tokenizer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from ranking.errors import MissingExtraError, TopicError
from ranking.topics.terms import is_unspaced
from ranking.topics.terms import words as words_of
from ranking.topics.vectors.english import Cut, built_in_words, english_pieces, stored_cut
from ranking.topics.vectors.table import Pieces, WordVectors, by_rank, spelling_of

__all__ = ["cut_words", "read_tokens"]

_LONGEST = 64  # letters of a word among the tokens
_MOST_WORDS = 250_000  # of a tokenizer's own; tables of many languages have more
_BATCH = 2_000  # words that are tokenized, or rows that are read, at once
_BYTES: Final = "Ġ"  # a space, where tokens are bytes written as letters
_STARTS: Final = ("▁", _BYTES)  # of a token at the start of a word, where tokenizers mark that
_CONTINUES: Final = "##"  # or of one that is not, where they mark this
_BYTE = re.compile(r"<0x[0-9A-F]{2}>").fullmatch  # stands for a letter that is no token
_UNKNOWN = re.compile(rb'"unk_id"\s*:\s*(\d+)').search  # of a Unigram model; others name a token


def read_tokens(name: str, table: Path, tokenizer: Path, *, english: bool) -> WordVectors:
    """Return the words of a table of token vectors, with the built-in ones beside it if `english`.

    Raises `TopicError` where a file is missing or not what it should be, `MissingExtraError`
    without safetensors or tokenizers.
    """
    vectors, rows, weights = _tables(table)  # first: while it is read, it is in memory twice
    cut = stored_cut(tokenizer, len(rows)) if english else None
    cut = cut or cut_words(tokenizer, built_in_words(), len(rows))
    usable = _has_direction(vectors)[rows] & np.isfinite(weights) & (weights != 0.0)
    if not usable.any():
        raise TopicError(_unusable(table, "numbers", "no row without NaN or infinity"))
    n = len(cut.counts)
    word = np.repeat(np.arange(n), cut.counts)[usable[cut.tokens]]
    token = cut.tokens[usable[cut.tokens]]
    if not len(word):
        raise TopicError(_unusable(table, "vectors of words", "none of a word that is known here"))
    counts = np.bincount(word, minlength=n)
    factors = weights[token] / counts[word].astype(np.float32)
    pieces = Pieces(vectors, np.append(0, np.cumsum(counts)), rows[token], factors)
    shares = by_rank(n)
    shares[n - len(cut.ranks) :] = shares[cut.ranks]
    second = [english_pieces(n)] if english else []
    return WordVectors(name, cut.spelling, shares, pieces, *second)


def cut_words(path: Path, words: list[str], most: int) -> Cut:
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
    return Cut(spelling_of(words), np.array(ranks, np.int64), counts, token[sense])


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


def _has_direction(table: Any) -> Any:
    """(n,) whether a row has numbers, not all of them 0."""
    parts = (table[at : at + _BATCH].astype(np.float32) for at in range(0, len(table), _BATCH))
    largest = np.concatenate([np.abs(part).max(axis=1) for part in parts])
    return np.isfinite(largest) & (largest > 0.0)


def _tables(path: Path) -> tuple[Any, Any, Any]:
    """(n, d) vectors; of each token, its row among them and its weight."""
    try:
        from safetensors.numpy import load_file
    except ImportError as error:
        raise MissingExtraError("safetensors", "FRONTIER_VECTORS", "meaning") from error
    try:
        tensors = {key: each for key, each in load_file(path).items() if each.dtype.kind in "fiu"}
    except Exception as error:  # of many kinds
        raise TopicError(_unusable(path, "tables of numbers", str(error)[:200])) from error
    tables = [each for each in tensors.values() if each.ndim == 2 and each.size]
    if len(tables) != 1:
        shapes = ", ".join(f"{key} {each.shape}" for key, each in sorted(tensors.items()))
        raise TopicError(_unusable(path, "one table with a row a token", shapes or "none"))
    table = tables[0]
    with np.errstate(over="ignore", invalid="ignore"):
        rows = tensors.get("mapping", np.arange(len(table))).astype(np.int64).ravel()
        weights = tensors.get("weights", np.ones(len(rows))).astype(np.float32).ravel()
        table = table.astype(np.float32) if table.itemsize > 4 else table
    if len(weights) != len(rows) or not ((rows >= 0) & (rows < len(table))).all():
        wanted = f"a weight and one of {len(table):,} rows for each token"
        raise TopicError(_unusable(path, wanted, f"{len(weights):,} and {len(rows):,}"))
    return table, rows, weights


def _unusable(path: Path, wanted: str, got: str) -> str:
    return (
        f"expected {path} to hold {wanted}, as model2vec writes it; got {got}. "
        'Name a folder with model.safetensors and tokenizer.json, or set FRONTIER_VECTORS = "auto".'
    )
