"""Tables of word vectors: what the words of topics, pages and links mean.

A table is read when a topic is fitted, and when a crawl is resumed or a fetcher joins one: which it
was, the topic model stores (`table.WordVectors.checksum`). Numpy is loaded when a table is.

`table` is what all of them are, `english` and `languages` are built in, `tokens` reads wordllama
and folders.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ranking.errors import LinkRankError, MissingExtraError, TopicError

if TYPE_CHECKING:
    from ranking.topics.vectors.table import WordVectors as WordVectors  # for others, too

__all__ = ["chosen", "files_of", "load_again", "load_vectors"]

_BUILT_IN: Final = "built-in"
_OFF: Final = "off"
_WORDLLAMA: Final = "wordllama"
_MULTILINGUAL: Final = "multilingual"
_NEEDED: Final = (_WORDLLAMA, "safetensors")


def chosen(spec: str, topic: Sequence[str] = ()) -> str:
    """Return a spec of `load_vectors` with the table it means for a topic on this machine.

    "auto" is, for an English topic, "wordllama" where it is installed with what reads it, or
    "built-in"; for others "multilingual". That becomes "multilingual:" and the languages of the
    topic; in "multilingual:de,ja" they are named, "multilingual:all" has all.
    """
    table, _, named = spec.lower().partition(":")
    if table == "auto" and not named:
        languages = _languages_of(topic)
        if languages[0] != "en":
            return f"{_MULTILINGUAL}:{','.join(languages)}"
        return _WORDLLAMA if all(map(_is_installed, _NEEDED)) else _BUILT_IN
    if table == _MULTILINGUAL:
        codes = named.replace(",", " ").split() or _languages_of(topic)
        return f"{_MULTILINGUAL}:{','.join(codes)}"
    return spec.lower() if spec.lower() in (_BUILT_IN, _OFF) else spec


def _languages_of(topic: Sequence[str]) -> Sequence[str]:
    if not topic:
        return ("en",)
    from ranking.topics.vectors.languages import languages_of  # numpy

    return languages_of(topic)


def load_vectors(spec: str, topic: tuple[str, ...] = ()) -> WordVectors | None:
    """Return the table a FRONTIER_VECTORS names, the last one from memory; None for "off".

    `topic` are the terms whose languages "auto" and "multilingual" are about. Any other spec but
    "built-in", "wordllama" and "off" is a folder with the files of a model2vec model. Where "auto"
    chooses wordllama and it cannot be read, the built-in table is returned, and its name says why.

    Raises `TopicError` where there is no table, `MissingExtraError` without what reads it.
    """
    table = chosen(spec, topic)
    try:
        return _read(table)
    except (TopicError, MissingExtraError) as error:
        if spec.lower() != "auto":
            raise
        return _read(_BUILT_IN, f"; {table} is not used: {error}")


def load_again(spec: str, checksum: int, name: str) -> tuple[WordVectors | None, str]:
    """The table that a topic was learned with, or what to say where it is not here.

    `spec`, `name` and `checksum` are as the table has them; no spec: there was none.
    """
    if not spec:
        return None, ""
    try:
        table = load_vectors(spec)
        found = "its files have changed"
    except LinkRankError as error:
        table, found = None, str(error)
    if table is not None and table.checksum == checksum:
        return table, ""
    return None, (
        f"The topic was learned with word vectors that are not here ({name}): {found}. Pages are "
        "judged by words alone, less well than before. Bring the table back, or start a new crawl."
    )


@lru_cache(maxsize=1)
def _read(table: str, note: str = "") -> WordVectors | None:
    if table == _OFF:
        return None
    from ranking.topics.vectors import english, languages, tokens

    if table == _BUILT_IN:
        return english.english_words(note)
    if table.startswith(f"{_MULTILINGUAL}:"):
        return languages.language_words(table, table.partition(":")[2].split(","))
    return tokens.read_tokens(table, *files_of(table), english=table == _WORDLLAMA)


def files_of(spec: str) -> tuple[str, Path, Path]:
    """Name, table and tokenizer of wordllama or of a folder; raises `TopicError`."""
    if spec == _WORDLLAMA and _is_installed(spec):  # a folder here may have its name
        package = distribution(spec)
        folder = Path(str(package.locate_file(spec)))
        tokenizer = folder / "tokenizers" / "l2_supercat_tokenizer_config.json"
        table = folder / "weights" / "l2_supercat_256.safetensors"
        return f"{spec} {package.version}", table, tokenizer
    folder = Path(os.path.expanduser(spec))  # noqa: PTH111 - it never raises
    if not spec or not os.path.isdir(folder):  # noqa: PTH112 - nor does it
        raise TopicError(
            'expected FRONTIER_VECTORS to be "auto", "built-in", "multilingual", "off", '
            '"wordllama" where it is installed, or a folder with model.safetensors and '
            f"tokenizer.json; got {spec[:80]!r}. "
            'Correct it, or run: pip install "scrapy-linkrank[meaning]".'
        )
    return f"{folder.name} in {folder}", folder / "model.safetensors", folder / "tokenizer.json"


def _is_installed(package: str) -> bool:
    try:
        return bool(distribution(package).version)
    except PackageNotFoundError:
        return False
