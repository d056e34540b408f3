"""Which of a spider's requests are made for a URL that is known."""

from __future__ import annotations


class FirstRequests:
    """URLs, by fingerprint, whose first request without `dont_filter` is still to come.

    Which requests of a spider are made for a URL that is known: those that Scrapy would make. Its
    own filter remembers the requests that were made without `dont_filter`, and nothing else. The
    frontier knows their URLs anyway, and every other URL; so what is kept here is only which URLs
    it knows by requests with `dont_filter` alone: those, such as the pages of `start_urls`, are
    fetched once more for the first request without.
    """

    def __init__(self) -> None:
        self._unfiltered: set[int] = set()

    def again(self, fingerprint: int, *, dont_filter: bool, known: bool) -> bool:
        """Whether a request is made although its URL may be known; to be asked once for each.

        `known` is whether the frontier has met the URL before.
        """
        if dont_filter:
            if not known:
                self._unfiltered.add(fingerprint)
            return True
        if fingerprint not in self._unfiltered:
            return False
        self._unfiltered.remove(fingerprint)
        return True
