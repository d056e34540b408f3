"""Tables of word vectors: the meaning of the words of topics, pages and links.

A table is read when a topic is fitted, and when a crawl is resumed or a fetcher joins one; the
topic model stores which table it was (`table.WordVectors.checksum`). Numpy is loaded with a table.

`table` is the type of all tables, `languages` has the built-in ones, `tokens` reads folders.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from ranking.topics.vectors.table import WordVectors as WordVectors  # for others, too

__all__ = ["chosen", "load_again", "load_vectors"]

_BUILT_IN: Final = "built-in"
_OFF: Final = "off"
_MULTILINGUAL: Final = "multilingual"


def chosen(spec: str, topic: Sequence[str] = ()) -> str:
    """Return a spec of `load_vectors` with the table it means for a topic.

    "auto" is "built-in" for an English topic, for others "multilingual". That becomes
    "multilingual:" and the languages of the topic; in "multilingual:de,ja" they are named,
    "multilingual:all" has all.
    """
    table, _, named = spec.lower().partition(":")
    if table == "auto" and not named:
        languages = _topic_languages(topic)
        return _BUILT_IN if languages[0] == "en" else f"{_MULTILINGUAL}:{','.join(languages)}"
    if table == _MULTILINGUAL:
        codes = named.replace(",", " ").split() or _topic_languages(topic)
        return f"{_MULTILINGUAL}:{','.join(codes)}"
    return spec.lower() if spec.lower() in (_BUILT_IN, _OFF) else spec


def _topic_languages(topic: Sequence[str]) -> Sequence[str]:
    if not topic:
        return ("en",)
    from ranking.topics.vectors.languages import topic_languages  # numpy

    return topic_languages(topic)


def load_vectors(spec: str, topic: tuple[str, ...] = ()) -> WordVectors | None:
    """Return the table a FRONTIER_VECTORS names, the last one from memory; None for "off".

    `topic` are the terms whose languages "auto" and "multilingual" are about. Any other spec but
    "built-in" and "off" is a folder with the files of a model2vec model.

    Raises `TopicError` where there is no table, `MissingExtraError` without what reads it.
    """
    return _read(chosen(spec, topic))


def load_again(spec: str, checksum: int, name: str) -> tuple[WordVectors | None, str]:
    """The table that a topic was learned with, or the warning that it is not here.

    `spec`, `name` and `checksum` are as the table has them; no spec: there was none.
    """
    if not spec:
        return None, ""
    try:
        table = load_vectors(spec)
        reason = "its files have changed"
    except LinkRankError as error:
        table, reason = None, str(error)
    if table is not None and table.checksum == checksum:
        return table, ""
    return None, (
        f"The topic was learned with word vectors that are not here ({name}): {reason}. Pages are "
        "judged by words alone, less well than before. Bring the table back, or start a new crawl."
    )


@lru_cache(maxsize=1)
def _read(table: str) -> WordVectors | None:
    if table == _OFF:
        return None
    from ranking.topics.vectors import languages

    if table == _BUILT_IN:
        return languages.english_words()
    if table.startswith(f"{_MULTILINGUAL}:"):
        return languages.language_words(table, table.partition(":")[2].split(","))
    from ranking.topics.vectors.tokens import read_tokens

    return read_tokens(table)
