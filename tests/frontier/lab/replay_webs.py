"""Webs to replay, spelled out page by page, and tasks on them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from frontier.lab.replay.records import Task
from frontier.lab.replay.webfile import AnswerKind, Parsed, WebFile, WebWriter
from frontier.parsing.html import Link, PageContent

HOST = "http://a.example"


def url(path: str) -> str:
    """`x` is on the usual host, `//b.example/x` on another."""
    return f"http:{path}" if path.startswith("//") else f"{HOST}/{path}"


def page(*links: str, text: str = "", title: str = "", anchor: str | None = None) -> Parsed:
    """A page; the anchor of a link is its path unless another one is given."""
    found = [Link(url(one), one if anchor is None else anchor, "", nofollow=False) for one in links]
    return Parsed(AnswerKind.PAGE, 200, PageContent(title, text, found))


def sent_on(target: str) -> Parsed:
    return Parsed(AnswerKind.REDIRECT, 301, location=url(target))


def failed(status: int) -> Parsed:
    return Parsed(AnswerKind.FAILED, status)


def made(
    folder: Path,
    pages: Mapping[str, Parsed],
    extra: dict[str, Any] | None = None,
    name: str = "small",
) -> WebFile:
    path = folder / f"{name}.labweb"
    with path.open("wb") as file:
        writer = WebWriter(file)
        for where, parsed in pages.items():
            writer.add(url(where), parsed)
        writer.finish(lambda _: None, extra or {})
    return WebFile(path, name)


def task(
    strategy: str,
    *,
    targets: Iterable[str] = (),
    seeds: Iterable[str] = ("",),
    examples: Iterable[str] = (),
    words: str = "comet",
    budget: int = 50,
    draw: int = 0,
    web: str = "small",
) -> Task:
    return Task(
        web,
        "keywords",
        "comets",
        draw,
        strategy,
        tuple(map(url, seeds)),
        tuple(map(url, examples)),
        words,
        frozenset(map(url, targets)),
        budget,
    )


def paths(web: WebFile, numbers: Iterable[int]) -> list[str]:
    """The URLs fetched, as they are spelled in these tests."""
    return [web.urls[number].removeprefix(f"{HOST}/") for number in numbers]
