"""The demonstration web: a few hundred made-up pages to try a focused crawl on.

Eleven hosts under ``.example``, five topics, written by a seeded chance: the same bytes
in every process and on every machine. ``demo_pages`` says what there is and what links
to what, ``demo_html`` and ``demo_prose`` how it reads, ``demo_oddities`` what goes wrong.

``topic_of`` is the truth a crawl is judged by; no crawler may see it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.warc.recorded_urls import host_of, normal_url
from frontier.web.answers import Answer, text_answer
from frontier.web.demo import oddities
from frontier.web.demo.html import render_page
from frontier.web.demo.pages import PORTAL, lay_out
from frontier.web.demo.words import ASTRONOMY, TOPICS

if TYPE_CHECKING:
    from collections.abc import Mapping


class DemoWeb:
    """A web to crawl in a minute, with the good and the bad of a real one.

    The one thing that changes is the overloaded page: it answers 503 to the first
    request an instance gets for it, 200 afterwards.
    """

    def __init__(self) -> None:
        self._pages = lay_out()
        for url, doors in oddities.DOORS.items():
            self._pages[url].links.extend(doors)
        self._fixed = oddities.fixed_answers()
        self._was_overloaded = False

    def __len__(self) -> int:
        """The number of URLs that lead somewhere; the endless calendar is not counted."""
        return len(self._pages) + len(self._fixed)

    @staticmethod
    def seeds() -> list[str]:
        """Where a crawl starts: one page on the default topic, and the portal."""
        return [f"http://{ASTRONOMY.hosts[0]}/", PORTAL]

    @property
    def topic(self) -> str:
        """The topic a demonstration crawls for, as a person would ask for it."""
        return ASTRONOMY.keywords

    @property
    def topics(self) -> dict[str, str]:
        """Every topic by name, as a person would ask for it."""
        return {topic.name: topic.keywords for topic in TOPICS}

    def urls(self) -> list[str]:
        """All URLs but those of the calendar."""
        return [*self._pages, *self._fixed]

    def hosts(self) -> set[str]:
        """The names of all hosts."""
        return {host_of(url) for url in self._pages}

    def links(self) -> dict[str, list[str]]:
        """The out-links of every ordinary page, in the order they stand on it."""
        return {url: [link.url for link in page.links] for url, page in self._pages.items()}

    def topic_of(self, url: str) -> str | None:
        """The name of the topic a page is on; None for listings, errors and unknown URLs."""
        page = self._pages.get(normal_url(url))
        topic = page.topic if page else oddities.TOPICS_OF_ODDITIES.get(normal_url(url))
        return topic.name if topic else None

    async def answer(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> Answer:
        url = normal_url(url)
        if url == oddities.OVERLOADED_ONCE and not self._was_overloaded:
            self._was_overloaded = True
            return oddities.overloaded()
        if page := self._pages.get(url):
            return oddities.html_answer(render_page(page))
        known = self._fixed.get(url) or oddities.calendar_answer(url)
        return known or text_answer(404, f"There is no page {url}\n")
