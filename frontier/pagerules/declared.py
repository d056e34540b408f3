"""Declarations in the headers of a page, and its canonical address.

A PDF has no meta elements: `X-Robots-Tag` and others take their place, `Link: <...>;
rel="canonical"` (RFC 8288, RFC 6596) names the canonical address, and `Refresh` has the meaning of
the meta element. A page with different canonical addresses in its head and in a header has none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from frontier.pagerules.directives import header_rules
from frontier.parsing.head import SIGNALS, language_of, refresh_rule
from frontier.states import NAMED
from frontier.urls.canonical import slot_of
from frontier.urls.resolve import OWN_PORTS, Resolver

if TYPE_CHECKING:
    from frontier.parsing.content import PageContent
    from frontier.records import UrlRecord

Headers = Callable[[str], Sequence[str]]
"""All values of the header of a name."""

_HEADERS = ("X-Robots-Tag", "Link", "Refresh", "Content-Language")
_MOST = 20
"""Headers of the same name that are read."""
_LONGEST = 20_000
"""Characters of a Link header that are read."""
# RFC 8288, section 3: <target> and parameters, whose values may be quoted.
_LINK = re.compile(r'<([^<>]*)>((?:\s*;\s*[^\s=;,<>"]+(?:\s*=\s*(?:"[^"]*"|[^\s;,"]*))?)*)')
_PARAMETER = re.compile(r';\s*([^\s=;,<>"]+)(?:\s*=\s*(?:"([^"]*)"|([^\s;,"]*)))?')


def with_headers(content: PageContent, headers: Headers, url: str) -> PageContent:
    """Add the declarations in its headers to the content of a page.

    Addresses in headers are relative to `url`, the URL of the response, whatever `<base>` says.
    """
    tags, links, refreshes, languages = (headers(name)[:_MOST] for name in _HEADERS)
    asks = [(name, value[:_LONGEST]) for name in SIGNALS for value in headers(name)[:_MOST]]
    if languages and not content.language:
        content = replace(content, language=language_of(languages[0]))
    if not tags and not links and not refreshes and not asks:
        return content
    resolve = Resolver(url, None)
    return replace(
        content,
        robots=(*content.robots, *header_rules(tags)),
        canonical=_agreed(content.canonical, canonical_links(links), resolve),
        refresh=content.refresh or refresh_header(refreshes, url),
        asks=(*content.asks, *asks),
    )


def canonical_links(values: Sequence[str]) -> list[str]:
    """Return the canonical addresses of Link headers, as written."""
    links = [link for value in values for link in _LINK.findall(value[:_LONGEST])]
    return [target.strip() for target, parameters in links if _is_canonical(parameters)]


def _is_canonical(parameters: str) -> bool:
    pairs = [
        (name.lower(), quoted or bare) for name, quoted, bare in _PARAMETER.findall(parameters)
    ]
    # The first `rel` counts; a link with an anchor belongs to another page.
    rel = next((text for name, text in pairs if name == "rel"), "")
    return "canonical" in rel.lower().split() and all(name != "anchor" for name, _ in pairs)


def refresh_header(values: Sequence[str], url: str) -> tuple[float, str] | None:
    """Return (seconds, absolute address) of the first Refresh header with an address."""
    resolve = Resolver(url, None)
    for value in values:
        rule = refresh_rule(value)
        target = None if rule is None else resolve(rule[1])
        if rule is not None and target is not None:
            return rule[0], target
    return None


def _agreed(named: str | None, hrefs: Sequence[str], resolve: Resolver) -> str | None:
    urls = {url for url in map(resolve, hrefs) if url is not None}
    if named is not None:
        urls.add(named)
    return urls.pop() if len(urls) == 1 else None


def same_origin(url: str, other: str) -> bool:
    """Whether two addresses have the same host, and the same port or both a usual one."""
    try:
        parts = urlsplit(url), urlsplit(other)
        ports = [part.port or OWN_PORTS.get(part.scheme) for part in parts]
    except ValueError:
        return False
    usual = ports == [OWN_PORTS.get(part.scheme) for part in parts]
    host = slot_of(url)
    return host == slot_of(other) and bool(host) and (ports[0] == ports[1] or usual)


def claim_among(links: Sequence[UrlRecord]) -> UrlRecord | None:
    """Return the link to the canonical address of its page, None without one."""
    return next((link for link in links if link.flags & NAMED), None)
