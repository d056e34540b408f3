"""Tables of token vectors: model2vec's folders, and the one inside the wordllama package.

A token is a word or a part of one; a word's vector is the mean of its tokens'. The words of such a
table are the English ones of the built-in table and the whole words among its own tokens. Any other
word would be guessed from fragments: "asyncio" would be near "Reynoso". So no text of a topic or a
page ever reaches the tokenizer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ranking.errors import MissingExtraError, TopicError
from ranking.topics.terms import is_unspaced
from ranking.topics.terms import words as words_of
from ranking.topics.vectors.english import built_in_words, english_pieces
from ranking.topics.vectors.table import Pieces, WordVectors, by_rank, term_vectors

__all__ = ["read_tokens"]

_LONGEST = 64  # letters of a word that is tokenized
_MOST_WORDS = 250_000  # of a tokenizer's own; tables of many languages have more
_BATCH = 2_000  # words that are tokenized at once
_BYTES: Final = "Ġ"  # a space, where tokens are bytes written as letters
_STARTS: Final = ("▁", _BYTES)  # of a token at the start of a word, where tokenizers mark that
_CONTINUES: Final = "##"  # or of one that is not, where they mark this
_BYTE = re.compile(r"<0x[0-9A-F]{2}>").fullmatch  # stands for a letter that is no token


def read_tokens(name: str, table: Path, tokenizer: Path, *, english: bool) -> WordVectors:
    """Return the words of a table of token vectors, with the built-in ones beside it if `english`.

    Raises `TopicError` where a file is missing or not what it should be, `MissingExtraError`
    without safetensors or tokenizers.
    """
    tokens = Tokens(table, tokenizer)
    words, shares = tokens.words()
    pieces = tokens.pieces(words)
    if not len(pieces.words):
        raise TopicError(_unusable(table, "vectors of words", "none of a word that is known here"))
    return term_vectors(name, words, shares, pieces, english_pieces() if english else None)


class Tokens:
    """A vector for each token, and the tokenizer that cuts words into them."""

    def __init__(self, table: Path, tokenizer: Path) -> None:
        """Read both files; raises what `read_tokens` raises."""
        import numpy as np

        self._tokenizer, self._vocabulary, unknown = _tokenizer(tokenizer)
        self._mark = _mark_of(self._vocabulary)
        self._table, self._rows, self._weights = _tables(table)
        n, least = max(self._vocabulary.values(), default=-1) + 1, len(self._rows)
        if least < n:
            wanted = f"a row for each of the {n:,} tokens in {tokenizer.name}"
            raise TopicError(_unusable(table, wanted, f"{least:,}"))
        usable = np.isfinite(self._table).all(axis=1)[self._rows] & np.isfinite(self._weights)
        if not usable.any():
            raise TopicError(_unusable(table, "numbers", "no row without NaN or infinity"))
        usable[[*unknown, *(at for token, at in self._vocabulary.items() if _BYTE(token))]] = False
        self._usable = usable

    def words(self) -> tuple[list[str], Any]:
        """The words whose vectors are asked for, and their shares of running words."""
        import numpy as np

        english, shares = built_in_words()
        own = list(dict.fromkeys(_whole_words(self._vocabulary, self._mark)))[:_MOST_WORDS]
        known = set(english)
        more = [(word, at) for at, word in enumerate(own) if word not in known]
        rank = np.array([at for _, at in more], np.int64)
        return [*english, *(word for word, _ in more)], np.append(shares, by_rank(len(own))[rank])

    def pieces(self, words: Sequence[str]) -> Pieces:
        """What each of the words is made of, by its tokens."""
        import numpy as np

        short = [at for at, word in enumerate(words) if len(word) <= _LONGEST]
        spoken, tokens = [], []
        for start in range(0, len(short), _BATCH):
            batch = short[start : start + _BATCH]
            for at, ids in self._cut([words[each] for each in batch]):
                spoken.append(np.array(batch)[at])
                tokens.append(ids)
        word, token = (np.concatenate([np.empty(0, np.int64), *each]) for each in (spoken, tokens))
        word, token = word[self._usable[token]], token[self._usable[token]]
        _, count = np.unique(word, return_counts=True)
        factors = self._weights[token] / np.repeat(count, count).astype(np.float32)
        return Pieces(self._table, word, self._rows[token], factors)

    def _cut(self, words: list[str]) -> Iterator[tuple[Any, Any]]:
        """Yield places in `words` and a token of each; words that cannot be cut have none."""
        import numpy as np

        spaced = [f" {word}" for word in words] if self._mark == _BYTES else words
        try:
            cut = self._tokenizer.encode(spaced, is_pretokenized=True, add_special_tokens=False)
        except Exception:  # each tokenizer has its own reasons
            for at, word in enumerate(words if len(words) > 1 else ()):
                yield from ((ids + at, tokens) for ids, tokens in self._cut([word]))
        else:
            yield np.array(cut.word_ids, np.int64), np.array(cut.ids, np.int64)


def _mark_of(vocabulary: dict[str, int]) -> str:
    """What tokens at the start of a word begin with; empty where they have no mark."""
    counts = {mark: sum(token.startswith(mark) for token in vocabulary) for mark in _STARTS}
    mark = max(_STARTS, key=counts.__getitem__)
    return mark if counts[mark] else ""


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
    """The tokenizer of a file, the ids of its tokens, and the id that says "unknown"."""
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtraError("tokenizers", "FRONTIER_VECTORS", "meaning") from error
    try:
        text = path.read_text(encoding="utf-8")
        tokenizer = Tokenizer.from_str(text)
        model = json.loads(text)["model"]
    except Exception as error:  # of many kinds
        raise TopicError(_unusable(path, "a tokenizer", str(error)[:200])) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    vocabulary = tokenizer.get_vocab()
    unknown = (vocabulary.get(model.get("unk_token")), model.get("unk_id"))
    return tokenizer, vocabulary, [each for each in unknown if each is not None]


def _tables(path: Path) -> tuple[Any, Any, Any]:
    """(n, d) vectors; of each token, its row among them and its weight."""
    import numpy as np

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
