"""Spellings of a URL that request the same page, beyond those of w3lib.

w3lib sorts the arguments, normalizes percent-encoding and letter case and drops the fragment. Its
result gets the only spelling of its host and loses the parts that select no content. Parts that may
select content stay: the scheme, `www.`, `index.html`, letter case of the path, order of repeated
arguments. The canonical URL determines the fingerprint, so a crawl keeps the rules it was started
with, by their `version`. Version 1 is w3lib alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

from frontier.urls.hosts import LONE_PERCENT, bracketed, host_spelling, with_ascii_host
from frontier.urls.resolve import OWN_PORTS, without_dots

W3LIB_ALONE: Final = 1
CLEANED: Final = 2

TRACKING: Final = (
    # Google, Matomo and others: where a campaign brought the visitor from.
    *("utm_*", "_ga", "_gl", "_gac", "gclid", "gclsrc", "dclid", "gbraid", "wbraid"),
    *("gad_source", "gad_campaignid", "srsltid", "mtm_campaign", "mtm_keyword", "mtm_source"),
    *("mtm_medium", "mtm_content", "mtm_cid", "mtm_group", "mtm_placement", "pk_campaign"),
    *("pk_kwd", "pk_keyword", "pk_source", "pk_medium", "pk_content", "pk_cid", "piwik_campaign"),
    *("piwik_kwd", "piwik_keyword", "at_xt", "at_campaign", "s_kwcid", "ef_id"),
    # Networks and shops of advertisements: which click it was.
    *("fbclid", "fb_action_ids", "fb_action_types", "fb_source", "msclkid", "yclid", "ysclid"),
    *("ymclid", "_openstat", "twclid", "ttclid", "li_fat_id", "epik", "rdt_cid", "sccid"),
    *("irclickid", "irgwc", "igshid", "igsh", "wickedid", "tduid", "zanpid", "admitad_uid"),
    # Newsletters: which reader.
    *("mc_cid", "mc_eid", "mkt_tok", "oly_anon_id", "oly_enc_id", "vero_id", "vero_conv"),
    *("_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking", "hsa_*", "_kx"),
    *("ck_subscriber_id", "ml_subscriber", "ml_subscriber_hash", "_bta_tid", "_bta_c"),
    *("trk_contact", "trk_msg", "trk_module", "trk_sid", "dm_i", "elqtrackid", "elqtrack"),
    "_branch_match_id",
)
"""Arguments that select no content on any site: they track visitors and clicks."""

_AUTHORITY = re.compile(r"(\[[^]]*\]|[^:]*)(?::([0-9]*))?", re.ASCII)
_SLIPS = re.compile(r"&(?:amp;)+")
_TO_PATH = re.compile(r"\s*https?:(?:[/\\]{2}[^/\\]*)?", re.ASCII | re.IGNORECASE)
_SLASHES = re.compile(r"(?<!:)/{2,}|(?<=:)/{3,}")
# Servlets and PHP; cookieless sessions of ASP.NET.
_PARAMETER_SESSION = re.compile(r";(?:jsessionid|phpsessid)=[^/;?]*", re.ASCII | re.IGNORECASE)
_SEGMENT_SESSION = re.compile(r"/\((?:[ASFX]\([\w-]{12,}\))+\)(?=/)", re.ASCII)
_SESSIONS = frozenset({"jsessionid", "phpsessid", "cftoken", "zenid", "oscsid", "sessid"})
_SESSION_PREFIX = "aspsessionid"
# Names that other sites use for content: only values that look like PHP's session ids are dropped.
_MAYBE_SESSIONS = frozenset({"sid", "sessionid", "session_id", "phpsid"})
_SESSION_ID = re.compile(r"(?=[^0-9]*[0-9])(?=[^a-z]*[a-z])(?:[0-9a-z]{26}|[0-9a-z]{32,})", re.I)


@dataclass(frozen=True)
class UrlRules:
    """The rules by which URLs are the same.

    `version` is W3LIB_ALONE or CLEANED; `tracking` names the dropped arguments, in any letter case;
    "utm_*" stands for all that begin with "utm_".
    """

    version: int = CLEANED
    tracking: tuple[str, ...] = TRACKING

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(name for name in self._listed if not name.endswith("*"))

    @cached_property
    def _prefixes(self) -> tuple[str, ...]:
        begun = (name[:-1] for name in self._listed if name.endswith("*"))
        return tuple(prefix for prefix in begun if prefix)

    @property
    def _listed(self) -> list[str]:
        names = (name.strip().lower() for name in self.tracking)
        return [name for name in names if name]

    @classmethod
    def stored(cls, value: dict[str, Any]) -> UrlRules:
        """The rules of an `as_json`."""
        return cls(int(value["version"]), tuple(value["tracking"]))

    @property
    def as_json(self) -> dict[str, Any]:
        """The rules as JSON values."""
        return {"version": self.version, "tracking": list(self.tracking)}

    def repaired(self, url: str) -> str:
        """A URL without spellings that w3lib misreads.

        It knows only the letters of Unicode 3.2 in hosts, and takes `&amp;` for a part of the next
        argument's name.
        """
        if self.version == W3LIB_ALONE:
            return url
        url = with_ascii_host(url)
        if "%" not in url and "&amp;" not in url:
            return url
        address, mark, query = url.partition("?")
        authority = _TO_PATH.match(address)
        start = 0 if authority is None else authority.end()
        address = address[:start] + LONE_PERCENT.sub("%25", address[start:])
        return address + mark + _SLIPS.sub("&", query)

    def keep_plain(self, url: str, port: str | None, query: str | None) -> bool:
        """Whether a URL without escapes, dot segments and capitals in its host stays as it is.

        Port and query are those of the URL, None where it has none.
        """
        if self.version == W3LIB_ALONE:
            return True
        if url.find("//", 8) >= 0 or url.find("/(", 8) >= 0:
            return False
        if port is not None and int(port) == OWN_PORTS[url.partition(":")[0]]:
            return False
        return query is None or not any(map(self._selects_nothing, query.split("&")))

    def cleaned(self, canonical: str) -> str:
        """Return w3lib's canonical URL without the parts that select no content.

        Raises ValueError for an invalid URL (unmatched brackets, RFC 3986 section 3.2.2).
        """
        if self.version == W3LIB_ALONE:
            return canonical
        parts = urlsplit(canonical)
        if parts.scheme not in OWN_PORTS or not parts.netloc:
            return canonical
        query = parts.query
        if query:
            kept = (
                argument for argument in query.split("&") if not self._selects_nothing(argument)
            )
            query = "&".join(kept)
        netloc = _authority(parts.scheme, parts.netloc)
        return urlunsplit((parts.scheme, netloc, _path(parts.path), query, ""))

    def _selects_nothing(self, argument: str) -> bool:
        name, _, value = argument.partition("=")
        name = name.lower()
        if name in self._names or name.startswith(self._prefixes):
            return True
        if name in _MAYBE_SESSIONS:
            return _SESSION_ID.fullmatch(value) is not None
        return name in _SESSIONS or name.startswith(_SESSION_PREFIX)


RULES = UrlRules()
"""The default rules."""
BY_W3LIB = UrlRules(W3LIB_ALONE, ())
"""The rules of a crawl without FRONTIER_CANONICAL_URLS."""


def _authority(scheme: str, netloc: str) -> str:
    """Host and port in their canonical spelling; invalid ones stay as they are."""
    match = _AUTHORITY.fullmatch(netloc.rpartition("@")[2])
    if match is None:
        return netloc
    host, digits = match[1] and bracketed(host_spelling(match[1])), match[2]
    if not host:
        return netloc
    port = digits and (digits.lstrip("0") or "0")
    return f"{host}:{port}" if port and port != str(OWN_PORTS[scheme]) else host


def _path(path: str) -> str:
    """The path without session ids, dot segments (RFC 3986, section 5.2.4) and repeated slashes.

    Slashes behind a colon stay in pairs: another URL may be part of the path.
    """
    if ";" in path:
        # w3lib drops empty parameters, but only of a path that came with them.
        path = _PARAMETER_SESSION.sub("", path).rstrip(";")
    if "/(" in path:
        path = _SEGMENT_SESSION.sub("", path)
    if "/." in path:
        path = without_dots(path)
    if "//" in path:
        path = _SLASHES.sub(
            lambda match: "//" if path.endswith(":", 0, match.start()) else "/", path
        )
    return path or "/"
