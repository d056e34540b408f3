"""What spellings of a URL are one, beyond what w3lib says, and what is never taken for one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.urls.canonical import canonical_url
from frontier.urls.rules import CLEANED, RULES, TRACKING, UrlRules

SESSION = "0123456789abcdef0123456789abcdef"

ONE = {
    "own port": ("http://h/a", "http://h:80/a", "http://h:0080/a", "http://h:/a"),
    "own port of https": ("https://h/a", "https://h:443/a", "HTTPS://H:443/a"),
    "host": ("http://h.example/", "http://H.EXAMPLE/", "http://h.example./", "http://h.example"),
    "encoded host": ("http://ex.example/", "http://%65x.example/", "http://%45X.example./"),
    "full width": ("http://ex.example/", "http://ｅｘ．example/", "http://ex。example/"),
    "international": ("http://xn--bcher-kva.example/", "http://BÜCHER.example/"),
    "credentials": ("http://h/a", "http://me@h/a", "http://me:secret@h/a", "http://@h:80/a"),
    "dots": ("http://h/a/b", "http://h/a/./b", "http://h/x/../a/b", "http://h/../a/%2e/b"),
    "dots at the end": ("http://h/a/", "http://h/a/b/..", "http://h/a/.", "http://h/a/b/%2E%2e"),
    "slashes": ("http://h/a/b", "http://h//a//b", "http://h/a///b"),
    "a URL in the path": ("http://h/of/http://x/a", "http://h/of/http:///x/a"),
    "empty path": ("http://h/?b=1", "http://h?b=1"),
    "empty query": ("http://h/a", "http://h/a?", "http://h/a?&&", "http://h/a?#"),
    "fragment": ("http://h/a", "http://h/a#b", "http://h/a#!/b", "http://h/a#?utm_source=x"),
    "order": ("http://h/?a=1&b=2", "http://h/?b=2&a=1"),
    "slips": ("http://h/?a=1&b=2", "http://h/?a=1&amp;b=2", "http://h/?a=1&amp;amp;b=2"),
    "escapes": ("http://h/~me/%C3%A9", "http://h/%7Eme/%c3%a9", "http://h/%7eme/é"),
    "escapes of arguments": ("http://h/?q=%C3%A9+a", "http://h/?q=%c3%a9%20a", "http://h/?q=é+a"),
    "a lone percent sign": ("http://h/100%25", "http://h/100%"),
    "tracking": ("http://h/?id=1", "http://h/?id=1&utm_source=a", "http://h/?UTM_Term=&id=1"),
    "tracking alone": ("http://h/a", "http://h/a?gclid=x&fbclid=y", "http://h/a?utm_x&_ga=2.1"),
    "an encoded name": ("http://h/", "http://h/?utm%5Fsource=a"),
    "servlets": ("http://h/a.do?b=1", "http://h/a.do;jsessionid=A1B2.n?b=1"),
    "servlets, upper case": ("http://h/a/b", "http://h/a;JSESSIONID=1/b", "http://h/a/b;"),
    "PHP": ("http://h/a.php", "http://h/a.php?PHPSESSID=x", f"http://h/a.php?sid={SESSION}"),
    "ASP": ("http://h/a", "http://h/a?ASPSESSIONIDQQGGGNWC=ABC", "http://h/a?CFTOKEN=8"),
    "ASP.NET": ("http://h/a.aspx", "http://h/(S(lit3py55t21z5v55vlm25s55))/a.aspx"),
    "white space around": ("http://h/a", " http://h/a\n", "http://h/\ta"),
}
DIFFERENT = [
    ("http://h/", "https://h/"),
    ("http://h/", "http://h:443/"),
    ("http://h/", "http://h:0/"),
    ("http://h/", "http://www.h/"),
    ("http://h/a", "http://h/A"),
    ("http://h/a", "http://h/a/"),
    ("http://h/", "http://h/index.html"),
    ("http://h/a%2Fb", "http://h/a/b"),
    ("http://h/a%2541", "http://h/aA"),
    ("http://h/?a=1&a=2", "http://h/?a=2"),
    ("http://h/?pk_id=7", "http://h/"),
    ("http://h/?ref=7", "http://h/"),
    ("http://h/?source=7", "http://h/"),
    ("http://h/?sid=42", "http://h/"),
    ("http://h/?sid=507f1f77bcf86cd799439011", "http://h/"),
    ("http://h/?session_id=keynote-2024", "http://h/"),
    ("http://h/?page=7", "http://h/"),
    ("http://h/web/2020/http://x/", "http://h/web/2020/http:/x/"),
    ("http://h/(Section)/a", "http://h/a"),
    ("http://h/a;v=1", "http://h/a"),
    ("http://h/?amp=1", "http://h/?=1"),
]
PIECES = ["/", "//", ".", "..", "%2e", ";jsessionid=1", ";PHPSESSID=ab", "(S(abcdefghijklmnop))"]
PIECES += ["?", "&", "&amp;", "utm_x=1", "gclid=", "=", "a", "b=1", "%41", "%7e", "%e9", "%zz"]
PIECES += [
    " ",
    "#",
    "#!",
    ":",
    "http://",
    "é",
    "\\",
    f"sid={SESSION}",
    "amp;",
    ";",
    "%",
    "@",
    "%25",
]
PIECES += ["%25", "%3B", "%26", "%2F", "%3F", "%23", "%2541", "\ud800"]
HOSTS = ["a.b", "h:80", "h:8080", "h:99999", "h:0", "a..b", "A.b", "u:p@h", "-a.b", "a_b.c", "h."]
HOSTS += [
    "h..",
    ".",
    "",
    "%68",
    "%68%2f",
    "u@h.:443",
    "ａ.b",
    "[::1]:80",
    "[::1].",
    "h:0080",
    "h:x",
]
HOSTS += ["h:x", "%C3%BC.de", "h%40x", "a@b@c", "ü" * 70, "bücher.de", "xn--", "1.2.3.4", "0x7f.1"]
spelled = st.builds(
    "{}://{}/{}".format,
    st.sampled_from(["http", "https", "HTTP", "ftp"]),
    st.sampled_from(HOSTS),
    st.lists(st.sampled_from(PIECES), max_size=9).map("".join),
)


@pytest.mark.parametrize("spellings", ONE.values(), ids=ONE)
def test_spellings_of_one_page_are_one_url(spellings: tuple[str, ...]) -> None:
    assert {canonical_url(url) for url in spellings} == {spellings[0]}


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_may_select_content_stays(one: str, other: str) -> None:
    assert canonical_url(one) != canonical_url(other)


@given(spelled)
def test_a_canonical_url_is_its_own_whatever_it_is_made_of(url: str) -> None:
    canonical = canonical_url(url)
    assert canonical_url(canonical) == canonical


@pytest.mark.parametrize("name", [name.replace("*", "x") for name in TRACKING])
def test_each_tracking_parameter_is_dropped_in_any_case(name: str) -> None:
    assert canonical_url(f"http://h/?a=1&{name}=X") == "http://h/?a=1"
    assert canonical_url(f"http://h/?{name.upper()}=X") == "http://h/"


def test_the_tracking_parameters_are_a_setting() -> None:
    rules = UrlRules(tracking=("from", "t_*"))
    assert canonical_url("http://h/?FROM=a&t_1=b&utm_source=c", rules) == "http://h/?utm_source=c"
    assert canonical_url("http://h/?gclid=1", UrlRules(tracking=())) == "http://h/?gclid=1"


def test_rules_are_remembered_as_json() -> None:
    assert UrlRules.stored(RULES.as_json) == RULES
    assert UrlRules.stored({"version": 2, "tracking": ["a"]}) == UrlRules(CLEANED, ("a",))
