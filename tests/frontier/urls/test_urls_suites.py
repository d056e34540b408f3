"""The URL suites of others: where our canonical URLs differ from theirs, and why."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from urllib.parse import urlsplit

from frontier.urls.canonical import canonical_url

# Why an address of the URL Standard and what it serialises to may be two URLs to a crawl.
RELATIVE = re.compile(r"https?:(?!//)", re.I)
"""No address but a reference: links are resolved before they are made canonical."""
BRACKETS = re.compile(r"https?://[^/?#]*[][][^/?#]*@", re.I)
"""A bracket in credentials, which Python's parser refuses."""

TABLE = {
    "escapes that the path does not need are decoded, a star too": "/%2a/",
    "an argument without a value is one with an empty value": re.compile(r"[?&][^=&#]+(?:[&#]|$)"),
    "arguments are encoded as forms are": re.compile(r"\?.*[:;/]"),
    "an address needs a scheme, and a host": re.compile(r"(?!https?://[^/])"),
    "an empty value stays": re.compile(r"=(?:&|$)"),
    "an argument without a name stays": re.compile(r"[?&]="),
}


def wpt(shared: Path) -> list[dict[str, str]]:
    cases = json.loads((shared / "suites/urls/wpt-urltestdata.json").read_text("utf-8"))
    web = (case for case in cases if not isinstance(case, str))
    return [case for case in web if case["input"].lower().startswith("http")]


def known_difference(url: str) -> bool:
    return any(one.match(url) for one in (RELATIVE, BRACKETS))


def test_spellings_that_the_url_standard_calls_one_are_one(shared: Path) -> None:
    cases = [case for case in wpt(shared) if "href" in case and case["href"].startswith("http")]
    assert len(cases) > 150
    differ = [
        case["input"]
        for case in cases
        if canonical_url(case["input"]) != canonical_url(case["href"])
    ]
    assert [url for url in differ if not known_difference(url)] == []


def test_what_the_url_standard_refuses_raises_nothing_and_is_stable(shared: Path) -> None:
    refused = [case["input"] for case in wpt(shared) if case.get("failure")]
    assert len(refused) > 150
    for url in refused:
        canonical = canonical_url(url)
        assert canonical_url(canonical) == canonical


def test_canonical_urls_of_the_standards_own_are_on_the_same_host(shared: Path) -> None:
    for case in wpt(shared):
        if "href" in case:
            ours = urlsplit(canonical_url(case["href"]))
            theirs = urlsplit(case["href"]).hostname or ""
            assert ours.hostname == (theirs.rstrip(".") or theirs)


def test_the_normaliser_table_differs_for_known_reasons(shared: Path) -> None:
    table = (shared / "suites/urls/weirdToNormalizedUrls.csv").read_text("utf-8").splitlines()
    rows = [row for row in csv.reader(table) if len(row) == 2 and not row[0].startswith("#")]
    pairs = [(weird.strip(), normal.strip()) for weird, normal in rows]
    assert len(pairs) > 60
    differ = [weird for weird, normal in pairs if canonical_url(weird) != normal]
    unexplained = [url for url in differ if not any(re.search(why, url) for why in TABLE.values())]
    assert unexplained == []
    assert len(differ) < len(pairs) / 3
