"""A recorded web in memory, spelled out page by page, as the lab's protocol sees webs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from frontier.lab.replay.web import Kind, RecordedAnswer
from frontier.parsing.html import PageContent

Pages = Mapping[str, tuple[str, Sequence[str]]]


class SmallWeb:
    """Pages by URL with text and links; `redirects` by URL; what is only linked is unknown."""

    def __init__(
        self, pages: Pages, redirects: Mapping[str, str] | None = None, name: str = "small"
    ) -> None:
        self.name = name
        sent_on = redirects or {}
        leads = {url: list(links) for url, (_, links) in pages.items()}
        leads |= {url: [target] for url, target in sent_on.items()}
        linked = dict.fromkeys(target for links in leads.values() for target in links)
        self.urls = [*leads, *(url for url in linked if url not in leads)]
        self.n_recorded = len(leads)
        self._numbers = {url: number for number, url in enumerate(self.urls)}
        kinds = [Kind.REDIRECT if url in sent_on else Kind.PAGE for url in leads]
        kinds += [Kind.UNKNOWN] * (len(self.urls) - self.n_recorded)
        self.kinds = np.array(kinds, np.uint8)
        lengths = [len(links) for links in leads.values()]
        self.indptr = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)))
        flat = [self._numbers[target] for links in leads.values() for target in links]
        self.targets = np.array(flat, np.int32)
        self._texts = {url: text for url, (text, _) in pages.items()}

    def find(self, url: str) -> int:
        return self._numbers.get(url, -1)

    def text(self, number: int) -> str:
        return self._texts.get(self.urls[number], "")

    def read(self, number: int) -> RecordedAnswer:
        links = self.targets[self.indptr[number] : self.indptr[number + 1]]
        return RecordedAnswer(
            Kind(int(self.kinds[number])), 200, PageContent("", self.text(number), []), links
        )
