"""Headers that say what an element of the page would: canonical address, refresh, robots."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.pagerules.declared import canonical_links, refresh_header, with_headers
from frontier.parsing.content import PageContent

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
