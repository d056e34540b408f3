"""Asking a person about the pages that would teach most, and understanding the answers.

Asked about are pages whose texts the crawl kept (`frontier/topic/samples.py`): mostly those that
the topic model is unsure of (uncertainty sampling, Lewis and Gale 1994), every fourth one drawn by
chance, since it may be wrong where it is sure; or only pages drawn by chance, which tell the
harvest rate. Labelled pages are not asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from frontier.config import DEFAULT_STRATEGY, CrawlConfig
from frontier.errors import LabelsError
from frontier.estimates import HarvestRate
from frontier.formatting import clean, number
from frontier.labels.at_random import drawn_pages, rate_of_crawl, sampled_pages
from frontier.labels.label_file import Label, read_labels
from frontier.records import Sample
from frontier.store import StoreReader, UrlRow

CHANCE = 4
"""Every so many questions one is about a page drawn by chance."""
SHOWN = 600
"""Characters of a page's text: half a screen."""
PROMPT = "About your topic? [y]es, [n]o, [s]kip, [q]uit: "
_YES, _NO, _SKIP, _QUIT = (("y", "yes"), ("n", "no"), ("s", "skip", ""), ("q", "quit"))


class Question(NamedTuple):
    """A page to be asked about; `relevance` is the topic model's, in [0, 1]."""

    url: str
    title: str
    text: str
    relevance: float


def questions(directory: Path, n: int, *, at_random: bool = False) -> list[Question]:
    """The n pages of a crawl, running or not, that would teach most; fewer if there are no more.

    With `at_random` the first n that were drawn by chance, whatever they would teach.

    Raises LabelsError where no text was kept, StoreErrors for what is no crawl.
    """
    said = {label.url for label in read_labels(directory)}
    with StoreReader.open(directory) as reader:
        samples = reader.samples()
        if not samples:
            raise LabelsError(
                f"expected pages to ask about, but the crawl in {directory} has kept the text of "
                f"none. Only a crawl with a topic keeps some: let it fetch a few pages, or name "
                f"pages yourself with --yes URL and --no URL"
            )
        sampled = sampled_pages(reader, {one.url_id: one.relevance for one in samples})
        rows = {one.url_id: one.row for one in sampled}
        known = {page for page, row in rows.items() if row.url in said}
        by_id = {one.url_id: one for one in samples}
        if at_random:
            drawn = (one.url_id for one in drawn_pages(reader, sampled))
            chosen = list(islice((page for page in drawn if page not in known), n))
        else:
            chosen = _chosen(samples, rows, known, n)
        return [_question(reader, rows[page], by_id[page]) for page in chosen]


def _chosen(
    samples: list[Sample], by_chance: Collection[int], known: Collection[int], n: int
) -> list[int]:
    """Ids of the samples to ask about, those by chance in every fourth place."""
    unsure = sorted(samples, key=lambda one: (abs(one.relevance - 0.5), one.url_id))
    telling = [one.url_id for one in unsure]
    chosen: list[int] = []
    for place in range(1, min(n, len(by_chance) - len(known)) + 1):
        pages = telling if place % CHANCE else []
        free = (one for one in (*pages, *by_chance) if one not in known and one not in chosen)
        chosen.append(next(free))
    return chosen


def _question(reader: StoreReader, row: UrlRow, sample: Sample) -> Question:
    page = reader.page_row(sample.url_id)
    title = "" if page is None else page.title or ""
    return Question(row.url, title, sample.text, sample.relevance)


def ask(
    asked: Iterable[Question], say: Callable[[str], None], hear: Callable[[str], str]
) -> Iterator[Label]:
    """Put the questions one by one and yield each answer as it is given.

    Args:
        asked: the questions.
        say: shows a line.
        hear: shows a prompt and returns what was typed; raises EOFError where nobody is left.

    """
    for question in asked:
        for line in _shown(question):
            say(line)
        answer = _answer(hear)
        if answer in _QUIT:
            return
        if answer not in _SKIP:
            yield Label(question.url, answer in _YES)


def _shown(question: Question) -> list[str]:
    title = [clean(question.title, 100)] if question.title else []
    text = clean(question.text[: 2 * SHOWN], SHOWN)
    judged = f"predicted relevance {number(question.relevance)} (0 to 1)"
    return ["", *title, question.url, judged, text]


def _answer(hear: Callable[[str], str]) -> str:
    while True:
        try:
            answer = hear(PROMPT).strip().lower()
        except EOFError:
            return _QUIT[0]
        if answer in (*_YES, *_NO, *_SKIP, *_QUIT):
            return answer


def never_met(directory: Path, labels: Iterable[Label]) -> list[str]:
    """URLs among those of the labels that the crawl has not met so far."""
    urls = [one.url for one in labels]
    with StoreReader.open(directory) as reader:
        wanted = np.array([*map(_config(reader).identify, urls)], np.int64)
        met = np.isin(wanted, reader.fingerprints()).tolist()
    return [url for url, is_met in zip(urls, met, strict=True) if not is_met]


def rate_in(directory: Path) -> HarvestRate | None:
    """The harvest rate that the labels of the crawl in a directory tell, None from a few."""
    with StoreReader.open(directory) as reader:
        return rate_of_crawl(reader, _config(reader), directory)


def _config(reader: StoreReader) -> CrawlConfig:
    # A strategy of a project can be imported there alone.
    return CrawlConfig.stored(reader.settings(), strategy=DEFAULT_STRATEGY)
