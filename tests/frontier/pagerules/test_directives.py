"""Rules for crawlers: what is asked, of whom, and which of several holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.pagerules.declared import canonical_links, refresh_header, with_headers
from frontier.pagerules.directives import PageRules, header_rules, rules_for
from frontier.parsing.content import PageContent

NOW = 1_700_000_000.0  # November 2023
NOINDEX, NOFOLLOW, BOTH, NOTHING = (
    PageRules(True),
    PageRules(False, True),
    PageRules(True, True),
    PageRules(),
)


def of_meta(*declared: tuple[str, str]) -> PageRules:
    return rules_for(declared, "probe", NOW)


def of_headers(*values: str) -> PageRules:
    return rules_for(header_rules(values), "probe", NOW)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("noindex", NOINDEX),
        ("nofollow", NOFOLLOW),
        ("none", BOTH),
        ("noindex,nofollow", BOTH),
        ("NoIndex , NOFOLLOW", BOTH),
        ("noindex nofollow", BOTH),
        ("noindex;nofollow", BOTH),
        ("all", NOTHING),
        ("index, follow", NOTHING),
        ("index, noindex", NOINDEX),
        ("noindex, index, follow", NOINDEX),
        ("none, all", BOTH),
        ("noarchive, nosnippet, notranslate", NOTHING),
        ("max-snippet:-1, max-image-preview:none", NOTHING),
        ("max-image-preview: none, nofollow", NOFOLLOW),
        ("nofollows, noindexed", NOTHING),
        ("", NOTHING),
        ("unavailable_after: 2020-01-01", NOINDEX),
        ("unavailable_after: 2030-01-01", NOTHING),
        ("unavailable_after: soon", NOTHING),
    ],
)
def test_what_a_robots_meta_element_asks(content: str, expected: PageRules):
    assert of_meta(("robots", content)) == expected


def test_a_rule_for_our_token_counts_and_one_for_others_does_not():
    assert of_meta(("probe", "noindex")) == NOINDEX
    assert of_meta(("Probe", "noindex")) == NOINDEX
    assert of_meta(("googlebot", "none"), ("probes", "none"), ("prob", "none")) == NOTHING


def test_rules_for_all_and_for_us_add_up():
    assert of_meta(("robots", "noindex"), ("probe", "nofollow")) == BOTH
    assert of_meta(("robots", "noindex"), ("probe", "all")) == NOINDEX
    assert of_meta(("robots", "all"), ("robots", "none")) == BOTH


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["noindex"], NOINDEX),
        (["noindex", "nofollow"], BOTH),
        (["noindex, nofollow"], BOTH),
        (["NONE"], BOTH),
        (["probe: nofollow"], NOFOLLOW),
        (["PROBE : nofollow"], NOFOLLOW),
        (["googlebot: noindex, nofollow"], NOTHING),
        (["googlebot: nofollow", "probe: noindex"], NOINDEX),
        (["googlebot: nofollow, probe: noindex"], NOINDEX),
        (["nofollow, googlebot: noindex"], NOFOLLOW),
        (["probe: noindex, nofollow"], BOTH),
        (["probe: noindex, googlebot: nofollow"], NOINDEX),
        (["unavailable_after: 25 Jun 2010 15:00:00 PST"], NOINDEX),
        (["unavailable_after: Friday, 25-Jun-10 15:00:00 UTC"], NOINDEX),
        (["unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, nofollow"], BOTH),
        (["unavailable_after: 2010-06-25T15:00:00Z"], NOINDEX),
        (["unavailable_after: 25 Jun 2090 15:00:00 PST"], NOTHING),
        (["otherbot: unavailable_after: 25 Jun 2010 15:00:00 PST"], NOTHING),
        (["probe: unavailable_after: 25 Jun 2010 15:00:00 PST"], NOINDEX),
        (["max-snippet: 20, noindex"], NOINDEX),
        (["max-image-preview: none"], NOTHING),
        (["frobnicate: 7, noindex"], NOINDEX),
        (["frobnicate: often"], NOTHING),
        ([": noindex"], NOINDEX),
        ([",,,"], NOTHING),
        ([""], NOTHING),
    ],
)
def test_what_x_robots_tag_headers_ask(values: list[str], expected: PageRules):
    assert of_headers(*values) == expected


@given(st.lists(st.text(st.characters(max_codepoint=255)), max_size=3), st.text())
def test_no_header_and_no_element_makes_it_raise(values: list[str], name: str):
    declared = [*header_rules(values), *((name, value) for value in values)]
    rules_for(declared, "probe", NOW)


@given(
    st.lists(st.sampled_from(["noindex", "nofollow", "none", "all", "index", "x: y"]), max_size=4)
)
def test_more_rules_never_ask_for_less(values: list[str]):
    asked = of_headers(*values)
    more = of_headers(*values, "noindex")
    assert more.noindex
    assert more.nofollow == asked.nofollow


PAGE = "http://site.example/folder/page?x=1"
EMPTY = PageContent("", "", [])


def read(content: PageContent = EMPTY, **headers: str) -> PageContent:
    values = {name.replace("_", "-"): [value] for name, value in headers.items()}
    return with_headers(content, lambda name: values.get(name, []), PAGE)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('</a>; rel="canonical"', ["/a"]),
        ("</a>; rel=canonical", ["/a"]),
        ("</a>;rel=CANONICAL", ["/a"]),
        ('</a>; title="x, y; z"; rel="canonical"', ["/a"]),
        ('</s.css>; rel=preload, </a>; rel="canonical"', ["/a"]),
        ('</a>; rel="next canonical"', ["/a"]),
        ('</a>; rel="next"; rel="canonical"', []),
        ('</a>; rel="canonical"; anchor="/other"', []),
        ("</a>", []),
        ("/a; rel=canonical", []),
        ("<>; rel=canonical", [""]),
        ("<<</a>; rel=canonical", ["/a"]),
    ],
)
def test_canonical_addresses_of_link_headers(value: str, expected: list[str]):
    assert canonical_links([value]) == expected


def test_a_header_names_the_canonical_address_relative_to_the_answer():
    assert read(Link="<other>; rel=canonical").canonical == "http://site.example/folder/other"


def test_head_and_header_must_agree():
    named = PageContent("", "", [], canonical="http://site.example/a")
    assert read(named, Link="</a>; rel=canonical").canonical == "http://site.example/a"
    assert read(named, Link="</b>; rel=canonical").canonical is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0; url=/next", (0.0, "http://site.example/next")),
        ("5;URL='next'", (5.0, "http://site.example/folder/next")),
        ("0, http://other.example/", (0.0, "http://other.example/")),
        ("0", None),
        ("0; url=javascript:alert(1)", None),
        ("now; url=/next", None),
    ],
)
def test_a_refresh_header_sends_its_readers_on(value: str, expected: tuple[float, str] | None):
    assert refresh_header([value], PAGE) == expected


def test_rules_of_headers_stand_beside_those_of_elements():
    content = PageContent("", "", [], robots=(("robots", "noindex"),))
    read_ = read(content, X_Robots_Tag="probe: nofollow")
    assert read_.robots == (("robots", "noindex"), ("probe", "nofollow"))


@given(st.text(st.characters(max_codepoint=255)))
def test_no_header_makes_it_raise(value: str):
    read(X_Robots_Tag=value, Link=value, Refresh=value)
