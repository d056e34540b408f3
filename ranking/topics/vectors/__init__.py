"""Tables of word vectors: which terms mean nearly the same as those of a topic.

A table is read when a topic is fitted, and at no other time: the weights that follow from it are
part of what the topic model stores. So pages are judged without it, a resumed crawl and the
fetchers of a shared one never read it, and numpy is loaded here when a table is.

`table` is what all of them are, `english` the built-in one, `tokens` reads wordllama and folders.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ranking.errors import MissingExtraError, TopicError

if TYPE_CHECKING:
    from ranking.topics.vectors.table import WordVectors as WordVectors  # for others, too

__all__ = ["chosen", "files_of", "load_vectors"]

_BUILT_IN: Final = ("built-in", "off")
_WORDLLAMA: Final = "wordllama"
_NEEDED: Final = (_WORDLLAMA, "safetensors")


def chosen(spec: str) -> str:
    """Return a spec of `load_vectors` with the table that "auto" is on this machine in its place.

    That is "wordllama", where it is installed with what reads it, or "built-in".
    """
    if spec.lower() == "auto":
        return _WORDLLAMA if all(map(_is_installed, _NEEDED)) else "built-in"
    return spec.lower() if spec.lower() in _BUILT_IN else spec


@lru_cache(maxsize=1)
def load_vectors(spec: str) -> WordVectors | None:
    """Return the table a FRONTIER_VECTORS names, the last one from memory; None for "off".

    Any spec but "auto", "built-in", "wordllama" and "off" is a folder with the files of a model2vec
    model. Where "auto" chooses wordllama and it cannot be read, the built-in table is returned, and
    its name says why.

    Raises `TopicError` where there is no table, `MissingExtraError` without what reads it.
    """
    table, note = chosen(spec), ""
    if table == "off":
        return None
    from ranking.topics.vectors import english, tokens

    if table != "built-in":
        try:
            return tokens.read_tokens(*files_of(table), english=table == _WORDLLAMA)
        except (TopicError, MissingExtraError) as error:
            if spec.lower() != "auto":
                raise
            note = f"; {table} is not used: {error}"
    return english.english_words(note)


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
            'expected FRONTIER_VECTORS to be "auto", "built-in", "off", "wordllama" where it is '
            f"installed, or a folder with model.safetensors and tokenizer.json; got {spec[:80]!r}. "
            'Correct it, or run: pip install "scrapy-linkrank[meaning]".'
        )
    return f"{folder.name} in {folder}", folder / "model.safetensors", folder / "tokenizer.json"


def _is_installed(package: str) -> bool:
    try:
        return bool(distribution(package).version)
    except PackageNotFoundError:
        return False
