"""Links in every place and spelling that browsers follow, and in those that they do not.

`HERE` in a page stands for the host of its case with its port.
"""

from __future__ import annotations

from tests.support.hostile_pages import Page


def _page(markup: str, *found: str, never: tuple[str, ...] = (), truncated: bool = False) -> Page:
    return Page(markup.encode(), found=found, never=never, truncated=truncated)


def _head(markup: str) -> str:
    return f"<html><head>{markup}</head><body><a href=x>x</a></body></html>"


PAGES = {
    # places
    "after_html": _page("<html><body>a</body></html><a href=/x>x</a>", "/x"),
    "after_html_twice": _page("<html></html><a href=/x>x</a></html><a href=/y>y</a>", "/x", "/y"),
    "after_html_document": _page(
        "<html><body><a href=/x>x</a></html><!doctype html><html><head></head><body><a href=/y>y",
        *("/x", "/y"),
    ),
    "after_body": _page("<html><body>a</body><a href=/x>x</a></html>", "/x"),
    "before_html": _page("<a href=/x>x</a><html><body><a href=/y>y</a></body></html>", "/x", "/y"),
    "in_head": _page("<html><head><a href=/x>x</a></head></html>", "/x"),
    "in_table": _page("<table><a href=/x>x</a><tr><a href=/y>y</a></table>", "/x", "/y"),
    "in_select": _page("<select><option><a href=/x>x</a></select><a href=/y>y</a>", "/y"),
    "in_form": _page("<form><button><a href=/x>x</a></button></form>", "/x"),
    "in_object": _page("<object><a href=/x>x</a></object>", "/x"),
    "in_drawing": _page("<svg><a xlink:href=/x>x</a><a href=/y>y</a></svg>", "/x", "/y"),
    "area": _page("<map><area href=/x></map>", "/x"),
    "iframe": _page("<iframe src=/x></iframe>", "/x"),
    "frameset": _page("<frameset><frame src=/x><frame src=/y></frameset>", "/x", "/y"),
    "noframes": _page(
        "<frameset><frame src=/x><noframes><body><a href=/y>y</a></noframes></frameset>", "/x", "/y"
    ),
    "noscript": _page(
        "<noscript><a href=/x>x</a><iframe src=/y></iframe></noscript>", "/x", never=("/y",)
    ),
    "noscript_of_a_large_page": _page(
        "<p>" + "words " * 100_000 + "<noscript><a href=/x>x</a></noscript>", "/x"
    ),
    "late_refresh": _page("<meta http-equiv=refresh content='500;url=/x'>", "/x"),
    "nested_links": _page("<a href=/x>x<a href=/y>y</a></a>", "/x", "/y"),
    "unclosed": _page("<a href=/x>x<p><a href=/y>y<div>", "/x", "/y"),
    "tag_at_the_end": _page("<a href=/x>x</a><a href=/y", "/x", never=("/y",)),
    "empty_link": _page("<a href=/x></a>", "/x"),
    "void_link": _page("<a href=/x />", "/x"),
    "deep": _page("<div>" * 3_000 + "<a href=/x>x</a>", "/x"),
    # where no reader follows
    "script": _page("<script>'<a href=/y>y</a>'</script><a href=/x>x</a>", "/x", never=("/y",)),
    "style": _page("<style><a href=/y></style><a href=/x>x</a>", "/x", never=("/y",)),
    "comment": _page("<!-- <a href=/y>y</a> --><a href=/x>x</a>", "/x", never=("/y",)),
    "comment_odd": _page("<!--><a href=/x>x</a><!-- --!><a href=/y>y</a> -->", "/x"),
    "textarea": _page("<textarea><a href=/y></textarea><a href=/x>x</a>", "/x", never=("/y",)),
    "title": _page("<title><a href=/y></title><a href=/x>x</a>", "/x", never=("/y",)),
    "attribute": _page("<p title='<a href=/y>'><a href=/x>x</a>", "/x", never=("/y",)),
    "template": _page("<template><a href=/y></template><a href=/x>x</a>", "/x", never=("/y",)),
    "data_attribute": _page("<a data-href=/y href=/x>x</a>", "/x", never=("/y",)),
    # spellings of elements
    "shouting": _page("<A HREF=/x>X</A>", "/x"),
    "unquoted": _page("<a href=/x?a=b&c=d class=x>x</a>", "/x?a=b&c=d"),
    "single_quotes": _page("<a href='/x'>x</a>", "/x"),
    "spaces_around": _page("<a href = '  /x  ' >x</a>", "/x"),
    "newline_before": _page("<a\nhref\n=\n'/x'\n>x</a>", "/x"),
    "no_space": _page("<a class='b'href='/x'>x</a>", "/x"),
    "slash": _page("<a/href=/x>x</a>", "/x"),
    "twice": _page("<a href=/x href=/y>x</a>", "/x", never=("/y",)),
    "newline_in": _page("<a href='/a\nb\tc\r\nd'>x</a>", "/abcd"),
    "entities": _page("<a href='/x?a=1&amp;b=2&#38;c=3&#x26;d=4'>x</a>", "/x?a=1&b=2&c=3&d=4"),
    "entity_letters": _page("<a href='&#47;&#x78;'>x</a>", "/x"),
    "entity_open": _page("<a href='/x?a=1&copy=2'>x</a>", "/x?a=1&copy=2"),
    "nul": _page("<a href=/x>x</a>\0<a href='/y\0z'>y</a>", "/x"),
    # spellings of addresses: all of them are in tests/frontier/urls/test_resolve.py
    "relative": _page("<a href=x>x</a><a href=./y>y</a><a href=../z>z</a>", "/x", "/y", "/z"),
    "no_scheme": _page("<a href='//HERE/x'>x</a>", "/x"),
    "backslashes_before_host": _page("<a href='\\\\HERE\\x'>x</a>", "/x"),
    "controls_around": _page("<a href='\x01\x02 /x \x1f'>x</a>", "/x"),
    "credentials": _page("<a href='http://user:pw@HERE/x'>x</a>", "/x"),
    "not_ascii": _page("<a href='/größe?ü=ö'>x</a>", "/größe?ü=ö"),
    "too_long": _page(f"<a href=/{'a' * 70_000}>y</a><a href=/x>x</a>", "/x"),
    # no addresses of the web
    "others": _page(
        "<a href=javascript:void(0)>a</a><a href=' JavaScript:x'>b</a><a href=mailto:a@b.c>c</a>"
        "<a href=data:text/html,x>d</a><a href=tel:1>e</a><a href=ftp://HERE/y>f</a>"
        "<a href=file:///y>g</a><a href=about:blank>h</a><a href=blob:http://HERE/y>i</a>"
        "<a href='java\nscript:y'>j</a><a href=ws://HERE/y>k</a><a href=//>l</a>"
        "<a href=http://>m</a><a href='http://[y'>n</a><a href=http://HERE:99999/>o</a>"
        "<a href='http://a b/'>p</a><a href=>q</a><a>r</a><a href=view-source:http://HERE/y>s</a>"
        "<a href=/x>x</a>",
        *("/x",),
        never=("/y",),
    ),
    # base
    "base": _page(_head("<base href=/a/>"), "/a/x"),
    "base_late": _page("<a href=x>x</a><base href=/a/>", "/a/x"),
    "base_twice": _page(_head("<base href=/a/><base href=/b/>"), "/a/x", never=("/b/x",)),
    "base_file": _page(_head("<base href=file:///etc/>"), "/x"),
}
