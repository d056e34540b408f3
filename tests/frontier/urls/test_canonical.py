"""URLs are made canonical as w3lib does it, without what it leaves, and known by 64 keyed bits."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from w3lib.url import canonicalize_url

from frontier.urls.canonical import (
    canonical_url,
    fingerprint,
    fingerprint_bytes,
    host_of,
    normal_url,
    other_scheme,
    slot_of,
    without_credentials,
)
from frontier.urls.rules import W3LIB_ALONE, UrlRules

OLD = UrlRules(W3LIB_ALONE, ())
"""How crawls knew their URLs before there were other rules; they must go on so for ever."""
KEY = b"key of one crawl"
HOSTS = ["a.b", "x-y.com", "h:80", "h:8080", "h:99999", "1.2.3.4", "a..b", "xn--bcher-kva.de"]
HOSTS += ["A.b", "u:p@h", "-a.b", "a_b.c", "a" * 70 + ".de", "bücher.de", "[::0:1]", "h:"]
http_urls = st.builds(
    "{}://{}{}{}".format,
    st.sampled_from(["http", "https", "HTTP"]),
    st.sampled_from(HOSTS),
    st.sampled_from(["", "/", "//", "/a", "/a/../b"]),
    st.text(alphabet="abAB09_.:,@$!*()'-/&=?%~+;#é \t", max_size=12),
)


def from_w3lib(url: str) -> str | None:
    try:
        return canonicalize_url(url)
    except ValueError:
        return None


@given(st.one_of(http_urls, st.text()))
def test_under_the_old_rules_a_canonical_url_is_w3libs_wherever_w3lib_has_one(url: str) -> None:
    expected = from_w3lib(url)
    assert canonical_url(url, OLD) == (url.strip() if expected is None else expected)


@given(http_urls)
@example("http://b\u00fccher.de..")
def test_a_canonical_url_is_its_own(url: str) -> None:
    assert canonical_url(canonical_url(url)) == canonical_url(url)


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_no_text_makes_any_of_them_raise(text: str) -> None:
    for url in (text, f"http://{text}", f"http://h/{text}", f"http://h/?{text}"):
        canonical_url(url).encode("utf-8", "surrogatepass")
        without_credentials(url)
        fingerprint(url, KEY)
        slot_of(url)
        host_of(normal_url(url))


@given(st.text(), st.binary(max_size=64))
def test_a_fingerprint_is_a_signed_64_bit_number_that_the_key_decides(
    canonical: str, key: bytes
) -> None:
    number = fingerprint(canonical, key)
    assert -(2**63) <= number < 2**63
    assert number == fingerprint(canonical, key)
    assert number != fingerprint(canonical, b"another key")


def test_fingerprints_never_change_or_no_crawl_could_be_resumed() -> None:
    assert fingerprint("http://a.example/", KEY) == 7649925368275840098
    assert fingerprint_bytes(b"http://a.example/", KEY) == -7353498368369914567


@pytest.mark.parametrize(
    ("url", "slot"),
    [
        ("http://a.example/x", "a.example"),
        ("https://A.Example:8080", "a.example"),
        ("http://user:pass@a.example/", "a.example"),
        ("http://user:80.x@a.example/", "a.example"),
        ("http://a.example?x", "a.example"),
        ("http://[::1]:80/", "::1"),
        ("http://[::1", ""),
        ("data:text/plain,x", ""),
    ],
)
def test_the_slot_is_the_host_name(url: str, slot: str) -> None:
    assert slot_of(url) == slot


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("http://user:pass@h/a@b", "http://h/a@b"),
        ("http://a@b@h:80/", "http://h:80/"),
        ("http://user@h?q=@", "http://h?q=@"),
        ("http://h/", "http://h/"),
        ("no address", "no address"),
    ],
)
def test_credentials_are_taken_out_of_what_is_asked_for(url: str, plain: str) -> None:
    assert without_credentials(url) == plain


@pytest.mark.parametrize("port", [1, 80, 443, 9999, 10000, 59999, 64999, 65000, 65535])
def test_a_port_is_canonical_as_w3lib_has_it(port):
    for url in (f"http://127.0.0.1:{port}/p/1", f"https://example.com:{port}/a?b=1&c=2"):
        assert canonical_url(url, OLD) == canonicalize_url(url)


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("HTTP://A.Example?b=1&a=2#part", "http://a.example/?a=2&b=1"),
        ("https://a.example:443/%7euser", "https://a.example/~user"),
        ("http://a.example/?utm_source=x", "http://a.example/?utm_source=x"),
    ],
)
def test_a_recorded_page_is_found_under_another_spelling(url: str, normal: str) -> None:
    assert normal_url(url) == normal
    assert normal_url(normal) == normal


def test_other_scheme_swaps_http_and_https_only() -> None:
    assert other_scheme("http://a/http:") == "https://a/http:"
    assert other_scheme("https://a/") == "http://a/"
    assert other_scheme("ftp://a/") == "ftp://a/"


def test_the_host_of_a_url_has_its_port() -> None:
    assert host_of("http://a.example:8080/x") == "a.example:8080"
    assert host_of("http://[") == ""
