"""Tables of token vectors: model2vec's folders, and what is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from ranking.errors import MissingExtraError, TopicError
from ranking.topics import vectors
from ranking.topics.terms import terms
from ranking.topics.vectors import load_vectors
from ranking.topics.vectors.languages import built_in_words
from ranking.topics.vectors.levelling import by_rank
from ranking.topics.vectors.table import WordVectors

WORDS = ["[UNK]", "volcano", "lava", "tax", "taxes"]
NEEDED = ("expected", "got", "FRONTIER_VECTORS")
X, Y = [1.0, 0.0], [0.0, 1.0]


def word_level(words: list[str], unknown: str = "[UNK]") -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(words)}, unknown))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def model(folder: Path, tokenizer: Tokenizer | None = None, **tensors: Any) -> Path:
    """A folder as model2vec writes it: five tokens, unless told otherwise."""
    tensors = tensors or {"embeddings": [X, X, [1.0, 1.0], Y, Y]}
    arrays = {name: np.asarray(each) for name, each in tensors.items()}
    folder.mkdir(parents=True, exist_ok=True)
    save_file(
        {n: a.astype(np.float32) if a.dtype == np.float64 else a for n, a in arrays.items()},
        folder / "model.safetensors",
    )
    (tokenizer or word_level(WORDS)).save(str(folder / "tokenizer.json"))
    return folder


def uncached(spec: str) -> WordVectors | None:
    vectors._read.cache_clear()
    return load_vectors(spec)


def read(folder: Path) -> WordVectors:
    table = uncached(str(folder))
    assert table is not None
    return table


def cosines(table: WordVectors, topic: str) -> dict[str, Any]:
    """Those of each term with a topic; a number is kept as a byte."""
    near = table.near(terms(topic))
    assert near is not None
    return {
        term: pytest.approx(one, abs=0.01)
        for term, one in zip(table.terms, near.tolist(), strict=True)
    }


def test_a_folder_in_the_format_of_model2vec_is_read(tmp_path: Path) -> None:
    table = read(model(tmp_path / "potion"))
    assert table.name == f"potion in {tmp_path / 'potion'}"
    assert cosines(table, "volcanoes") == {
        "volcano": 1.0,
        "lava": round(math.sqrt(0.5), 5),
        "tax": 0.0,
    }
    # "House" is unknown, which has no vector, though the table has a row for it.


def test_a_term_is_the_mean_of_its_words_by_their_shares(tmp_path: Path) -> None:
    table = read(model(tmp_path, embeddings=[X, X, X, X, Y]))
    words = built_in_words()
    shares = by_rank(len(words))
    one, many = (shares[words.index(word)] for word in ("tax", "taxes"))
    assert cosines(table, "volcano")["tax"] == round(one / math.hypot(one, many), 5)


@pytest.mark.parametrize(
    ("tensors", "lava"),
    [
        ({"embeddings": [X, Y], "mapping": [0, 0, 1, 1, 1]}, 0.0),
        ({"embeddings": [X, Y], "mapping": [0, 0, 0, 1, 1]}, 1.0),
        ({"table": np.array([X, X, X, Y, Y], np.float16), "one": [3.0]}, 1.0),
        ({"table": np.array([X, X, Y, Y, Y], np.int8)}, 0.0),
    ],
)
def test_which_row_is_whose_the_file_says(
    tmp_path: Path, tensors: dict[str, Any], lava: float
) -> None:
    assert cosines(read(model(tmp_path, **tensors)), "volcano")["lava"] == lava


def test_tokens_have_the_weights_that_the_file_says(tmp_path: Path) -> None:
    pieces = Tokenizer(
        models.WordPiece({"[UNK]": 0, "vol": 1, "##cano": 2, "lava": 3}, unk_token="[UNK]")
    )
    rows = {"embeddings": [X, X, Y, X], "weights": [1.0, 3.0, 4.0, 1.0]}
    near = cosines(read(model(tmp_path, pieces, **rows)), "volcano")
    assert near["lava"] == 0.6


def bytes_as_letters(ids: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(ids, [], ignore_merges=True))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer


def spaces_marked(ids: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(ids, [], ignore_merges=True, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return tokenizer


def rests_marked(ids: dict[str, int]) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


@pytest.mark.parametrize(
    ("tokens", "tokenizer"),
    [
        ("<0x7A> ▁zyx yx ▁9 ▁été ▁qqq. 火山", spaces_marked),
        ("<|end|> Ġzyx yx Ġ9 ĠÃ©tÃ© Ġqqq.", bytes_as_letters),
        ("[UNK] zyx ##yx 9 été [PAD] 火山", rests_marked),
    ],
)
def test_whole_words_are_found_by_each_way_to_mark_them(
    tmp_path: Path, tokens: str, tokenizer: Callable[[dict[str, int]], Tokenizer]
) -> None:
    ids = {token: n for n, token in enumerate(tokens.split())}
    rows = np.random.default_rng(1).random((len(ids), 4))
    table = read(model(tmp_path, tokenizer(ids), embeddings=rows))
    assert set(table.terms) >= {"zyx", "été"}
    assert [term for term in table.terms if term not in {"zyx", "été", "火山"}] == []
    first, second = rows[[1, 4]]
    cosine = first @ second / np.linalg.norm(first) / np.linalg.norm(second)
    assert cosines(table, "zyx")["été"] == cosine


def test_what_a_model_by_unigrams_calls_unknown_has_no_vector(tmp_path: Path) -> None:
    scores = [("volcano", 0.0), ("?", -9.0), ("lava", 0.0)]
    table = read(model(tmp_path, Tokenizer(models.Unigram(scores, 1)), embeddings=[X, Y, X]))
    assert cosines(table, "volcano")["bratislava"] == 1.0
    assert "tax" not in table.terms


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "i1", "u1", "i8"])
def test_numbers_of_each_type_are_read_where_words_need_them(tmp_path: Path, kind: str) -> None:
    rows = np.random.default_rng(1).integers(1, 100, (1_001, 3)).astype(kind)
    rows[-3:] = [[3, 4, 0], [4, 3, 0], [0, 0, 5]]
    words = [*(f"t{n}" for n in range(998)), "volcano", "lava", "tax"]
    table = read(model(tmp_path, word_level(words, "t0"), embeddings=rows))
    assert cosines(table, "volcano")["lava"] == 0.96
    assert cosines(table, "volcano")["tax"] == 0.0


def test_a_row_of_numbers_that_are_none_is_no_vector(tmp_path: Path) -> None:
    rows = [[0.0, 0.0], X, [math.nan, 1.0], [math.inf, 1.0], Y]
    assert list(read(model(tmp_path, embeddings=rows)).terms) == ["tax", "volcano"]


def test_a_word_on_which_the_tokenizer_fails_has_no_vector(tmp_path: Path) -> None:
    tokenizer = word_level(["volcano", "lava"], unknown="missing")
    with pytest.raises(Exception, match="WordLevel"):
        tokenizer.encode("tax")
    table = read(model(tmp_path, tokenizer, embeddings=[X, Y]))
    assert set(table.terms) == {"volcano", "lava"}


BROKEN: dict[str, tuple[Callable[[Path], object], str]] = {
    "no table": (lambda at: (at / "model.safetensors").unlink(), "model.safetensors"),
    "no tokenizer": (lambda at: (at / "tokenizer.json").unlink(), "tokenizer.json"),
    "a damaged table": (
        lambda at: (at / "model.safetensors").write_bytes(b"\x08" + bytes(30)),
        "model.safetensors",
    ),
    "a table cut short": (
        lambda at: (at / "model.safetensors").write_bytes(
            (at / "model.safetensors").read_bytes()[:-1]
        ),
        "model.safetensors",
    ),
    "no text": (lambda at: (at / "tokenizer.json").write_bytes(b"\xff\xfe"), "tokenizer.json"),
    "no tokenizer in it": (lambda at: (at / "tokenizer.json").write_text("{}"), "tokenizer.json"),
    "no rows": (lambda at: model(at, embeddings=[1.0, 2.0]), "'embeddings': (2,)"),
    "an empty table": (lambda at: model(at, embeddings=np.zeros((5, 0))), "'embeddings': (5, 0)"),
    "two tables": (lambda at: model(at, a=[X] * 5, b=[Y] * 5), "'a': (5, 2), 'b': (5, 2)"),
    "fewer rows than tokens": (lambda at: model(at, embeddings=[X] * 4), "5 tokens"),
    "rows that are missing": (
        lambda at: model(at, embeddings=[X], mapping=[0, 0, 0, 0, 1]),
        "1 rows",
    ),
    "no token": (lambda at: model(at, embeddings=[X], mapping=np.zeros(0, np.int64)), "5 tokens"),
    "a weight for some": (lambda at: model(at, embeddings=[X] * 5, weights=[1.0]), "weight"),
    "numbers that are none": (lambda at: model(at, embeddings=[[math.nan, 0.0]] * 5), "NaN"),
    "rows too wide": (lambda at: model(at, embeddings=np.ones((5, 2049))), "(5, 2049)"),
    "no word": (lambda at: model(at, word_level(["[UNK]", "9"]), embeddings=[X, X]), "word"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_what_is_no_table_is_refused_with_the_file_and_what_is_wrong(
    tmp_path: Path, case: str
) -> None:
    spoil, named = BROKEN[case]
    spoil(model(tmp_path / "potion"))
    with pytest.raises(TopicError) as raised:
        read(tmp_path / "potion")
    message = str(raised.value)
    assert str(tmp_path / "potion") in message
    assert named in message
    assert [word for word in NEEDED if word not in message] == []


@pytest.mark.parametrize("spec", ["no-such-package", "/no/such/folder", "~/none", "", "\0"])
def test_what_is_no_folder_is_refused(spec: str) -> None:
    with pytest.raises(TopicError) as raised:
        load_vectors(spec)
    assert '"auto"' in str(raised.value)
    assert repr(spec) in str(raised.value)


def test_without_what_reads_it_a_folder_is_refused_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model(tmp_path / "potion")
    monkeypatch.setitem(__import__("sys").modules, "tokenizers", None)
    with pytest.raises(MissingExtraError) as raised:
        read(tmp_path / "potion")
    assert "tokenizers" in str(raised.value)
    assert 'pip install "scrapy-linkrank[meaning]"' in str(raised.value)
