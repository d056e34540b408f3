"""A host has one spelling, wherever it is a key."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.utils.httpobj import urlparse_cached

from frontier.exchange.feed_policy import partition_of
from frontier.pagerules.declared import same_origin
from frontier.urls.canonical import canonical_url, host_of, normal_url, origin_of, slot_of
from frontier.urls.domains import registered_domain
from frontier.urls.hosts import host_spelling, in_ascii, with_ascii_host

ONE = {
    "example.com": (
        "EXAMPLE.com",
        "example.com.",
        "ｅｘａｍｐｌｅ。ｃｏｍ",
        "ex%61mple.com",
        "%45xample%2Ecom.",
    ),
    "xn--bcher-kva.example": (
        *("bücher.example", "BÜCHER.Example.", "bu\u0308cher.example", "XN--BCHER-KVA.example"),
        *("b%C3%BCcher.example", "b\u00adücher。example", "ｘｎ－－bcher-kva.example"),
    ),
    "xn--r8jz45g.xn--zckzah": ("例え.テスト", "例え。テスト", "例え｡テスト．"),
    "xn--e1afmkfd.xn--80akhbyknj4f": ("пример.испытание", "ПРИМЕР.ИСПЫТАНИЕ."),
    "xn--istanbul-o0e.example": ("İstanbul.example",),
    "strasse.example": ("STRASSE.example",),
    "xn--strae-oqa.example": (
        *("XN--strae-oqa.example", "straße.example", "STRAẞE.example", "stra%C3%9Fe.example"),
        "ＳＴＲＡß\u0045．example",
    ),
    "xn--nxasmm1c.example": ("βόλος.example", "ΒόΛος.example"),
    "xn--mgba3gch31f060k.example": ("نامه\u200cای.example",),
    "a_b.xn--tda.example": ("A_B.ü.example",),
    "xn--ls8h.example": ("💩.example",),
    "127.0.0.1": (
        "127.1",
        "0x7F.1",
        "0177.0.0.1",
        "2130706433",
        "１２７.1",
        "127.0.0.1.",
        "%31%32%37.1",
    ),
    "::1": ("[::1]", "[0:0::0001]", "[::1%25lo]"),
    "a..xn--tda.b": ("a..Ü.b",),
    "256.256.256.256": ("256.256.256.256.",),
    "[::g]": ("[::G]",),
    "h%2fx": ("h%2Fx", "H%2fX."),
}
"""What is the spelling of what."""
SPELLINGS = [(one, spelled) for spelled, others in ONE.items() for one in (spelled, *others)]
AS_URLS = [(one, host) for one, host in SPELLINGS if ":" not in one or one[0] == "["]
AS_URLS.remove(("[::g]", "[::g]")), AS_URLS.remove(("[::G]", "[::g]"))
texts = st.one_of(
    st.text(alphabet=st.characters(exclude_categories=())),
    st.text(alphabet="aZü.%0127fx[]:_-。／ßΣ\u200d\u00ad\ufffd\ud800 \t", max_size=12),
)


@pytest.mark.parametrize(("written", "spelled"), SPELLINGS)
def test_all_spellings_of_a_host_are_one(written: str, spelled: str) -> None:
    assert host_spelling(written) == spelled


@pytest.mark.parametrize(("written", "spelled"), AS_URLS)
def test_every_key_that_is_made_of_a_url_has_it(written: str, spelled: str) -> None:
    url = f"http://{written}:8080/a"
    in_url = f"[{spelled}]" if ":" in spelled else spelled
    assert slot_of(url) == spelled
    assert origin_of(url) == f"http://{in_url}:8080"
    assert canonical_url(url) == f"http://{in_url}:8080/a"
    assert host_of(normal_url(url)) == f"{in_url}:8080"
    assert same_origin(url, f"http://{in_url}:8080/")


@pytest.mark.parametrize("written", ONE["xn--bcher-kva.example"])
def test_hosts_of_one_spelling_are_in_one_partition(written: str) -> None:
    slots = [slot_of(f"https://{host}/") for host in (written, f"www.{written}")]
    assert {partition_of(slot) for slot in slots} == {partition_of("xn--bcher-kva.example")}


def test_a_suffix_in_letters_is_known() -> None:
    assert registered_domain(slot_of("http://a.b.公司.cn/")) == "b.xn--55qx5d.cn"


@given(texts)
@example("\ufffd.example")
@example("a／b")
@example("ü" * 70)
@example("%25%34%31")
def test_a_spelling_is_its_own_and_nothing_raises(text: str) -> None:
    spelled = host_spelling(text)
    assert host_spelling(spelled) == spelled
    assert host_spelling(in_ascii(text)) == spelled
    assert spelled.isascii()
    assert spelled == spelled.lower()
    slot_of(f"http://{text}/"), origin_of(f"http://{text}/"), normal_url(f"http://{text}/")


@given(texts)
@example("Ⱥ.example")  # newer than the Unicode that Scrapy knows hosts by
@example("\u0378.example")
def test_what_a_link_is_asked_as_is_the_host_that_it_waits_for(text: str) -> None:
    url = with_ascii_host(f"http://{text}/a")
    try:
        request = Request(url)
        host = urlparse_cached(request).hostname
    except ValueError:
        return  # what Scrapy refuses is not asked for
    assert slot_of(url) == slot_of(request.url) == host_spelling(host or "")
