from __future__ import annotations

from benchmarks.webs.links import join_url, rewritten, targets

URL = "http://a.example/one/"


def test_targets_are_resolved_without_fragments_in_page_order() -> None:
    body = (
        b"""<a href="two#part">2</a><A class=x HREF='/three?a=1&amp;b=2'>3</A><a name="x">no</a>"""
    )
    assert [*targets(URL, body)] == [
        "http://a.example/one/two",
        "http://a.example/three?a=1&b=2",
    ]


def test_links_change_and_everything_else_stays() -> None:
    body = (
        '<p>ä</p><a id=1 href="two" rel="x">2</a><a href=\'three\'>3</a><a href="4">4</a>'.encode()
    )
    other = {"http://a.example/one/two": "http://c.example/?a=1&b=2", "http://a.example/one/4": ""}
    assert rewritten(URL, body, other.get).decode() == (
        '<p>ä</p><a id=1 href="http://c.example/?a=1&amp;b=2" rel="x">2</a>'
        "<a href='three'>3</a><a>4</a>"
    )


def test_what_cannot_be_joined_leads_to_the_page_itself() -> None:
    assert join_url("http://a.example/x/y", "../z") == "http://a.example/z"
    assert join_url("http://a.example/", "http://[") == "http://a.example/"
