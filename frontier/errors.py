"""What can go wrong around a crawl, as one small tree.

::

    ranking.errors.LinkRankError
    └── FrontierError
        ├── SeedsError           no seeds, an unreadable seeds file
        ├── SettingsError        a setting out of its range, no topic given
        ├── RecordingError       a WARC file that cannot be served
        ├── FeedError            items that cannot be written
        ├── LabelsError          an answer that is none, labels that cannot be written
        ├── LabError             labels, seeds or a budget that leave nothing to measure
        ├── PageError            a body that cannot be read within its bounds
        ├── RequestBodyError     a request that may not pass between processes
        ├── BrowserError         no browser that pages can be shown in
        ├── RobotsError          robots.txt forbids a URL, or cannot be reached
        ├── DownloadError        no response
        │   └── AddressError         an address that must not be connected to
        ├── ExchangeError        the PostgreSQL between a frontier and its fetchers cannot be used
        │   └── ExchangeLostError    ... now: worth another try
        ├── FollowError          a cursor of another crawl, a sink that refuses events
        ├── SearchError          the index of a crawl cannot be used, weights that are none
        └── StoreError           the crawl's file
            ├── StoreBusyError       another process crawls with it
            ├── StoreVersionError    written by another version
            ├── StoreForeignError    not a file of ours
            ├── StoreDamagedError    ours, but broken
            ├── StoreMissingError    nothing there to look at
            └── CrawlChangedError    resumed with another topic or strategy

Every message says what was expected, what came and what to do.
"""

from __future__ import annotations

from ranking.errors import LinkRankError
from ranking.printing import hide_passwords


class FrontierError(LinkRankError):
    """Anything the frontier refuses to do."""


class SeedsError(FrontierError, ValueError):
    """There is nothing to start from."""


class SettingsError(FrontierError, ValueError):
    """A setting or a spider argument is missing or out of its range."""


class RecordingError(FrontierError, ValueError):
    """A recorded web cannot be read or written."""


class FeedError(FrontierError):
    """Items of the crawl cannot be written to their file."""


class LabelsError(FrontierError, ValueError):
    """A label of a page cannot be read or stored."""


class LabError(FrontierError, ValueError):
    """Labels, keywords, seeds or a budget leave the lab nothing to measure."""


class PageError(FrontierError):
    """A page is no text, or costs more to read than a page may."""


class DownloadError(FrontierError):
    """A URL brought no response."""


class AddressError(DownloadError):
    """The host has no address that a crawl may connect to."""


class RequestBodyError(FrontierError, ValueError):
    """A request cannot be sent to other processes, or did not come from one of ours."""


class BrowserError(FrontierError):
    """No browser can be started, or there is none."""


class RobotsError(FrontierError):
    """A URL is not fetched because of its origin's robots.txt."""


class ExchangeError(FrontierError):
    """The PostgreSQL between a frontier and its fetchers cannot be used; trying again is no use."""


class ExchangeLostError(ExchangeError):
    """The exchange cannot be used now: the server is away, restarts or is too busy; try again."""


class SearchError(FrontierError):
    """The index of a crawl's pages is missing, damaged or of another version; odd weights."""


class FollowError(FrontierError):
    """Events of a crawl cannot be handed on: an odd cursor, or a sink that refuses them."""


class StoreError(FrontierError):
    """The file that holds a crawl cannot be used."""


class StoreBusyError(StoreError):
    """Another process is crawling with this file."""


class StoreVersionError(StoreError):
    """The file was written by another version of this library."""


class StoreForeignError(StoreError):
    """The file or directory belongs to something else."""


class StoreDamagedError(StoreError):
    """The file is ours but its content is broken."""


class StoreMissingError(StoreError):
    """There is no crawl in the directory named."""


class CrawlChangedError(StoreError):
    """The crawl was started with other settings than it is resumed with."""


def described(error: BaseException) -> str:
    """Return class and message of a failure, without passwords."""
    return hide_passwords(f"{type(error).__name__}: {error}".strip(": "))
