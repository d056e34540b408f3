"""The file of FRONTIER_DISTRUST: hosts and beginnings of URLs that are bad, see docs/spam.md."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from frontier.errors import SettingsError
from frontier.urls.canonical import canonical_url, slot_of, without_credentials
from frontier.urls.hosts import bracketed, host_spelling
from frontier.urls.resolve import OWN_PORTS
from frontier.urls.url_lists import read_text_file, shown_entry, url_fault

if TYPE_CHECKING:
    from collections.abc import Iterable

logger = logging.getLogger(__name__)

_HOST = re.compile(r"(\[[^]\s]+\]|[^\s:/?#@\[\]]+)(?::([0-9]{1,5}))?")
_NAME = re.compile(r"[a-z0-9_.:-]+")


@dataclass(frozen=True)
class BadPages:
    """The hosts and URLs that are marked bad, as `host_spelling` and `canonical_url` spell them.

    `hosts` have a port or none; `prefixes` are beginnings of URLs, with or without a query.
    """

    hosts: frozenset[str] = frozenset()
    prefixes: tuple[str, ...] = ()

    def __contains__(self, url: str) -> bool:
        """Whether an absolute URL is bad, however it is spelled."""
        canonical = canonical_url(url)
        if self.prefixes and canonical.startswith(self.prefixes):
            return True
        return bool(self.hosts) and any(name in self.hosts for name in _names(canonical))

    def __bool__(self) -> bool:
        return bool(self.hosts or self.prefixes)

    @classmethod
    def by_file(cls, path: str) -> BadPages:
        """Those of a file, none if it is ""; raises what `read_distrust` does."""
        return read_distrust(path) if path else cls()


def read_distrust(path: str) -> BadPages:
    """Read a file of bad hosts and URLs, one a line; lines that are neither are named in the log.

    Raises SettingsError for a file that cannot be read or names nothing, SeedsError for one that is
    no text.
    """
    hosts, prefixes = set(), []
    for number, line in enumerate(read_text_file(path, "bad URLs").splitlines(), start=1):
        entry = line.partition(" #")[0].partition("\t#")[0].strip()
        if not entry or entry.startswith("#"):
            continue
        host = _bad_host(entry)
        fault = _fault(entry)
        if host is not None:
            hosts.add(host)
        elif fault is not None:
            shown = shown_entry(entry)
            logger.warning("Line %d of %s is skipped: %r %s", number, path, shown, fault)
        else:
            prefixes.append(canonical_url(entry))
    if not (hosts or prefixes):
        raise SettingsError(
            f"Expected bad URLs or hosts in {path}, one a line, such as https://spam.example/shop/ "
            "or spam.example; found none. Correct FRONTIER_DISTRUST (-a distrust=FILE), or leave "
            "it out."
        )
    return BadPages(frozenset(hosts), tuple(prefixes))


def _fault(entry: str) -> str | None:
    """Why an entry is no beginning of URLs; None if it is."""
    if fault := url_fault(without_credentials(entry)):
        return fault
    if "#" in entry:
        return "has a fragment"
    if "?" in entry and "?" not in canonical_url(entry):
        return "has no arguments but those that canonical URLs lack"
    return None


def _bad_host(entry: str) -> str | None:
    match = _HOST.fullmatch(entry)
    name = host_spelling(match[1]) if match else ""
    if match is None or not _NAME.fullmatch(name):
        return None
    return bracketed(name) + (f":{int(match[2])}" if match[2] else "")


def _names(address: str) -> Iterable[str]:
    """Yield the host of a canonical URL with its port, without, and every domain it is under."""
    scheme, _, rest = address.partition("://")
    authority, host = rest.partition("/")[0], bracketed(slot_of(address))
    yield authority if authority != host else f"{host}:{OWN_PORTS.get(scheme)}"
    while host:
        yield host
        host = host.partition(".")[2]
