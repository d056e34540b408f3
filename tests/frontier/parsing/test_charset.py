"""In which charset a page is read."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from w3lib.encoding import resolve_encoding

from frontier.parsing.charset import charset_of, decoded

GERMAN = "Größe, Käse und Würze überall"
RUSSIAN = "Поисковая система идёт по ссылкам"


def html(charset: str) -> str:
    return f"text/html; charset={charset}"


@pytest.mark.parametrize(
    ("body", "header", "charset"),
    [
        (b"<p>plain", "", "utf-8"),
        (b"<p>plain", html("windows-1251"), "cp1251"),
        (b"<meta charset=gbk>plain", "", "gb18030"),
        (b"<meta charset=utf-16>plain", "", "utf-8"),
        (b"plain", html("utf-16"), "utf-8"),
        (b"\x1b$B1~Ez\x1b(B", "", "iso2022_jp_ext"),
        (GERMAN.encode(), html("iso-8859-1"), "utf-8"),
        (GERMAN.encode("cp1252"), html("utf-8"), "cp1252"),
        ("ü".encode("cp1252"), html("utf-8"), "cp1252"),
        (RUSSIAN.encode("cp1251") + b"\x98", html("cp1251"), "cp1251"),
        (RUSSIAN.encode() + b"\xff", html("utf-8"), "utf-8"),
        (RUSSIAN.encode()[:-1], "", "utf-8"),
        (RUSSIAN.encode("koi8-r"), html("utf-8"), "koi8-r"),
        (b"\xef\xbb\xbf\xe4", html("koi8-r"), "utf-8"),
        ("<p>a</p>".encode("utf-16-be"), html("utf-8"), "utf-16-be"),
        (b"", html("utf-7"), "utf-8"),
        (b"", html("x" * 10_000), "utf-8"),
    ],
)
def test_charset_is_that_of_the_bytes(body: bytes, header: str, charset: str) -> None:
    found = charset_of(body, header)
    assert codecs.lookup(found) == codecs.lookup(charset)


def test_declaration_may_come_late_but_not_out_of_a_comment() -> None:
    late = b"<!-- <meta charset=koi8-r> " + b"x" * 9_000 + b"--><meta charset=windows-1251>"
    assert charset_of(late + RUSSIAN.encode("cp1251")) == "cp1251"


@given(
    st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")),
    st.text(max_size=30).map("text/html; charset=".__add__) | st.text(max_size=30),
)
def test_any_bytes_are_read_in_a_codec_that_scrapy_knows(body: bytes, header: str) -> None:
    charset = charset_of(body, header)
    assert resolve_encoding(charset) is not None
    decoded(body, charset).encode()


@given(st.binary(max_size=60), st.sampled_from(["utf-8", "shift_jis", "gbk", "utf-16le", "hz"]))
def test_declared_charsets_never_make_it_raise(body: bytes, label: str) -> None:
    declared = f"<meta charset={label}>".encode() + body
    decoded(declared, charset_of(declared, html(label)))
