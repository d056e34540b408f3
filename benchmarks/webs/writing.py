"""A web as files: the recording, its labels, seeds and keywords, and what it was made of.

Written twice from the same input, the files are the same bytes: records have the date they are
given, ids that follow from their URLs, and stand in the order in which they came.
Links are found and changed where they stand: all other bytes of a page stay.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape, unescape
from http.client import responses
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from urllib.parse import urldefrag, urljoin
from uuid import NAMESPACE_URL, uuid5

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from frontier.urls.canonical import normal_url
from ranking.topics.terms import FUNCTION_WORDS

HTML: Final = "text/html; charset=utf-8"
_EPOCH: Final = "2020-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a URL of a web answers."""

    url: str
    body: bytes
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", HTML),)

    @property
    def is_page(self) -> bool:
        """Whether it is a page of HTML, and no failure or redirect."""
        kind = next((value for name, value in self.headers if name.lower() == "content-type"), "")
        return self.status == 200 and "html" in kind.lower()


@dataclass(frozen=True)
class Web:
    """A web before it is written.

    Attributes:
        name: of its files.
        answers: in the order in which they are recorded, each URL once.
        labels: URL and topic of each label.
        seeds: where crawls start.
        keywords: topic -> words.
        made_of: what it was made of, and under which licences.

    """

    name: str
    answers: Sequence[Answer]
    labels: Sequence[tuple[str, str]]
    seeds: Sequence[str]
    keywords: Mapping[str, str] = field(default_factory=dict)
    made_of: Mapping[str, Any] = field(default_factory=dict)


def page(url: str, html: str) -> Answer:
    """A page that answers."""
    return Answer(url, html.encode("utf-8"))


def moved(url: str, to: str) -> Answer:
    """A redirect that stays."""
    return Answer(url, b"", 301, (("Content-Type", HTML), ("Location", to)))


def write_web(web: Web, folder: Path) -> dict[str, Any]:
    """Write the files of a web into a folder, and return what NAME.json says."""
    folder.mkdir(parents=True, exist_ok=True)
    write_recording(folder / f"{web.name}.warc.gz", web.answers)
    _write_pairs(folder / f"{web.name}.topics.tsv", "url\ttopic", sorted(set(web.labels)))
    _write(folder / f"{web.name}.seeds.txt", web.seeds)
    if web.keywords:
        _write_pairs(folder / f"{web.name}.keywords.tsv", "topic\tkeywords", web.keywords.items())
    about = {"name": web.name, **web.made_of, **figures(web)}
    said = json.dumps(about, indent=1, ensure_ascii=False)
    _write(folder / f"{web.name}.json", [said])
    return about


def write_recording(path: Path, answers: Iterable[Answer]) -> None:
    """Write answers as a WARC file, a gzip member each."""
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        for answer in answers:
            writer.write_record(_record(writer, answer))
    part.replace(path)


def _record(writer: WARCWriter, answer: Answer) -> Any:
    status = f"{answer.status} {responses.get(answer.status, '')}".strip()
    fields = [*answer.headers, ("Content-Length", str(len(answer.body)))]
    return writer.create_warc_record(
        answer.url,
        "response",
        payload=BytesIO(answer.body),
        length=len(answer.body),
        http_headers=StatusAndHeaders(status, fields, protocol="HTTP/1.1"),
        warc_headers_dict={
            "WARC-Date": _EPOCH,
            "WARC-Record-ID": f"<urn:uuid:{uuid5(NAMESPACE_URL, answer.url)}>",
        },
    )


def figures(web: Web) -> dict[str, int]:
    """How large a web is; links are counted once a page, between different pages of the web."""
    pages = {normal_url(one.url): one for one in web.answers if one.is_page}
    known = {normal_url(one.url) for one in web.answers}
    return {
        "pages": len(pages),
        "other answers": len(web.answers) - len(pages),
        "hosts": len({url.split("/")[2] for url in pages}),
        "links": sum(len(set(_inner(url, one, known))) for url, one in pages.items()),
        "topics": len({topic for _, topic in web.labels}),
        "labelled pages": len({url for url, _ in web.labels}),
    }


def _inner(url: str, answer: Answer, known: set[str]) -> Iterator[str]:
    return (to for to in targets(answer.url, answer.body) if to in known and to != url)


def _write_pairs(path: Path, heading: str, pairs: Iterable[tuple[str, str]]) -> None:
    _write(path, [heading, *(f"{first}\t{second}" for first, second in pairs)])


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


_HREF: Final = re.compile(
    rb"""(<a\b[^>]*?)\shref\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE | re.DOTALL
)
_BASE: Final = re.compile(rb"""<base\b[^>]*?\shref\s*=\s*["']([^"']*)["']""", re.IGNORECASE)


def targets(url: str, body: bytes) -> Iterator[str]:
    """Where the links of a page lead, in their order, without fragments, as `normal_url` spells."""
    base = _base(url, body)
    for match in _HREF.finditer(body):
        yield _target(base, match)


def rewritten(url: str, body: bytes, change: Callable[[str], str | None]) -> bytes:
    """A page with other links: `change` is asked about each target.

    None leaves the link as it is written, "" its words without an address.
    """
    base = _base(url, body)

    def changed(match: re.Match[bytes]) -> bytes:
        other = change(_target(base, match))
        if other is None:
            return match[0]
        return match[1] + f' href="{escape(other)}"'.encode() if other else match[1]

    return _HREF.sub(changed, body)


def join_url(base: str, address: str) -> str:
    """Where a link leads; ``base`` itself when it cannot be parsed."""
    try:
        return urljoin(base, address)
    except ValueError:
        return base


def _base(url: str, body: bytes) -> str:
    found = _BASE.search(body)
    return join_url(url, _text(found[1])) if found else url


def _target(base: str, match: re.Match[bytes]) -> str:
    written = match[2] if match[2] is not None else match[3]
    return normal_url(urldefrag(join_url(base, _text(written).strip())).url)


def _text(written: bytes) -> str:
    return unescape(written.decode("utf-8", "replace"))


WANTED: Final = 10
"""Keywords of a topic: words that a person would look for it with. Pages of a web are not asked for
them: what stands on all of them, such as the menu, would be said most."""
_FEWEST: Final = 3
"""Texts about a topic in which a word must stand to be telling."""
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


def words_of(*texts: str) -> list[str]:
    """The words of texts that mean something, each once, in their order."""
    said = (word for text in texts for word in _WORD.findall(text.lower()))
    return list(dict.fromkeys(word for word in said if word not in FUNCTION_WORDS))


def keywords(*texts: str) -> str:
    """The first of these words, at most WANTED."""
    return " ".join(words_of(*texts)[:WANTED])


def telling(about: Mapping[str, Sequence[str]], every: Iterable[str]) -> dict[str, str]:
    """Topic -> words that texts about it say more often than all of the texts do."""
    spoken = [words_of(text) for text in every]
    common = Counter(word for words in spoken for word in words)
    found = {}
    for topic, texts in about.items():
        inside = Counter(word for text in texts for word in words_of(text))
        worth = {
            word: count * math.log(len(spoken) / common[word])
            for word, count in inside.items()
            if count >= _FEWEST and common[word]
        }
        found[topic] = " ".join(sorted(worth, key=lambda word: (-worth[word], word))[:WANTED])
    return found
