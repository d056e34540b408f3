"""Blocks that repeat across the pages of a host or template: no main text, whatever a page shows.

A single page cannot tell a teaser, a licence or a notice from its text; its host can. What the
crawl has fetched by now counts, so that the first pages of a host keep what the later ones lose.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlsplit

import numpy as np

from frontier.texts.page_text import StoredText, number_of, numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

PAGES: Final = 500
"""Pages of a host that are compared, the latest: some milliseconds, once for each reader."""
FEWEST: Final = 4
"""Pages on which a block is at least before it counts as repeated."""
OF_HOST: Final = 0.2
OF_TEMPLATE: Final = 0.5
"""Shares of the pages of a host, and of a template, on which a repeated block is."""
_FIGURES: Final = re.compile(r"\d+")


class KnownPage(NamedTuple):
    """The URL of a page, and the numbers of its blocks."""

    url: str
    blocks: bytes


def template_of(url: str) -> str:
    """Return the folder of a page, whatever its figures: its pages mostly look the same."""
    return _FIGURES.sub("0", urlsplit(url).path.rpartition("/")[0])


class HostRepeats:
    """The repeated blocks of one host."""

    def __init__(self, pages: Sequence[KnownPage]) -> None:
        self._of_host = _repeated([page.blocks for page in pages], OF_HOST)
        templates: defaultdict[str, list[bytes]] = defaultdict(list)
        for page in pages:
            templates[template_of(page.url)].append(page.blocks)
        self._of_template = {
            template: _repeated(blocks, OF_TEMPLATE) for template, blocks in templates.items()
        }

    def without(self, url: str, page: StoredText) -> StoredText:
        """Return a text without the repeated blocks.

        Code stays, and so does the text of a page of which nothing else would be left: others may
        repeat a whole page.
        """
        repeated = self._of_host | self._of_template.get(template_of(url), set())
        if not repeated or not page.markdown:
            return page
        lines = list(numbered(page.markdown))
        gone = {number for number, _ in lines} & repeated
        kept = [(number, line) for number, line in lines if number not in gone]
        if not any(number for number, _ in kept):
            return page
        left = [line for line in page.text.splitlines() if number_of(line) not in gone]
        markdown = "\n".join(line for _, line in kept)
        return StoredText(page.title, "\n".join(left).strip(), markdown.strip())


def _repeated(pages: Iterable[bytes], share: float) -> set[int]:
    blocks = [np.frombuffer(data, np.uint32) for data in pages if data]
    if len(blocks) < FEWEST:
        return set()
    numbers, counts = np.unique(np.concatenate(blocks), return_counts=True)
    return set(numbers[counts >= max(FEWEST, share * len(blocks))].tolist())
