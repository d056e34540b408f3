"""Who may fetch for a crawl: who has the same spider, the same topic and the same version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.exchange.about import config_of
from frontier.exchange.wire import WIRE_VERSION
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from frontier.config import CrawlConfig


class Admission:
    """Judges what fetchers say of themselves by what the crawl is about."""

    def __init__(self, config: CrawlConfig, spider: str = "") -> None:
        """`spider` is the name of the one that the crawl has; "": that of the first fetcher."""
        self._identity = config.identity
        self._spider = spider

    def verdict(self, about: dict[str, Any]) -> str:
        """Return "" for a fetcher that is admitted, else why it is not."""
        if about.get("wire") != WIRE_VERSION:
            return other_version(about)
        try:
            identity = config_of(about.get("config")).identity
        except LinkRankError as error:
            return str(error)
        differs = [
            f"{name} is {self._identity[name]!r} there and {value!r} here"
            for name, value in identity.items()
            if self._identity.get(name) != value
        ]
        spider = str(about.get("spider", ""))
        if self._spider and spider != self._spider:
            differs.insert(0, f"the spider is {self._spider!r} there and {spider!r} here")
        if differs:
            return (
                f"The crawl that this exchange serves is another one: {'; '.join(differs)}. Start "
                f"the fetcher with the same spider, arguments and settings, or give it another "
                f"exchange."
            )
        self._spider = spider
        return ""


def other_version(about: dict[str, Any]) -> str:
    """Why a fetcher of another version is refused."""
    return (
        f"Expected a fetcher that speaks version {WIRE_VERSION} of the exchange, got "
        f"{about.get('wire')}. Run the same version of scrapy-linkrank everywhere."
    )
