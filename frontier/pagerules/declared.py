"""What headers add to a page's own declarations, and what it claims of its own address.

A PDF has no meta elements: `X-Robots-Tag` speaks for it, `Link: <...>; rel="canonical"` (RFC 8288,
RFC 6596) names the address to keep, and `Refresh` does what the meta element of that name does.
A page that names one canonical address in its head and another one in a header names none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from frontier.pagerules.directives import header_rules
from frontier.parsing.head import refresh_rule
from frontier.states import NAMED
from frontier.urls.canonical import slot_of
from frontier.urls.resolve import OWN_PORTS, Resolver

if TYPE_CHECKING:
    from frontier.parsing.content import PageContent
    from frontier.records import UrlRecord

Headers = Callable[[str], Sequence[str]]
"""All values of the header of a name."""

_MOST = 20
"""Headers of a name that are read."""
_LONGEST = 20_000
"""Characters of a Link header that are read."""
# RFC 8288, section 3: <target> and parameters, whose values may be quoted.
_LINK = re.compile(r'<([^<>]*)>((?:\s*;\s*[^\s=;,<>"]+(?:\s*=\s*(?:"[^"]*"|[^\s;,"]*))?)*)')
_PARAMETER = re.compile(r';\s*([^\s=;,<>"]+)(?:\s*=\s*(?:"([^"]*)"|([^\s;,"]*)))?')


def with_headers(content: PageContent, headers: Headers, url: str) -> PageContent:
    """Return what the body of a page says together with what its headers say of it.

    Addresses in headers are relative to `url`, that of the answer, whatever `<base>` says.
    """
    tags, links, refreshes = (headers(name)[:_MOST] for name in ("X-Robots-Tag", "Link", "Refresh"))
    if not tags and not links and not refreshes:
        return content
    resolve = Resolver(url, None)
    return replace(
        content,
        robots=(*content.robots, *header_rules(tags)),
        canonical=_agreed(content.canonical, canonical_links(links), resolve),
        refresh=content.refresh or refresh_header(refreshes, url),
    )


def canonical_links(values: Sequence[str]) -> list[str]:
    """Return the addresses that Link headers name as canonical, as they are written."""
    links = [link for value in values for link in _LINK.findall(value[:_LONGEST])]
    return [target.strip() for target, parameters in links if _is_canonical(parameters)]


def _is_canonical(parameters: str) -> bool:
    pairs = [
        (name.lower(), quoted or bare) for name, quoted, bare in _PARAMETER.findall(parameters)
    ]
    # Of several the first one counts; with an anchor the link is one of another page than this.
    rel = next((text for name, text in pairs if name == "rel"), "")
    return "canonical" in rel.lower().split() and all(name != "anchor" for name, _ in pairs)


def refresh_header(values: Sequence[str], url: str) -> tuple[float, str] | None:
    """Return (seconds, absolute address) of the first Refresh header that leads somewhere."""
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
    """Tell whether two addresses are of one host: the same name, and port where it is not usual."""
    try:
        first, two = urlsplit(url), urlsplit(other)
        ports = [part.port or OWN_PORTS.get(part.scheme) for part in (first, two)]
    except ValueError:
        return False
    usual = ports == [OWN_PORTS.get(part.scheme) for part in (first, two)]
    host = slot_of(url)
    return host == slot_of(other) and bool(host) and (ports[0] == ports[1] or usual)


def claim_among(links: Sequence[UrlRecord]) -> UrlRecord | None:
    """Return the link to the address that its page names as canonical, None without one."""
    return next((link for link in links if link.flags & NAMED), None)
