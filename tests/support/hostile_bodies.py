"""Bodies that cost more than they say: bombs, endless markup, and what is no page at all."""

from __future__ import annotations

import gzip
import zlib

import brotli

from tests.support.hostile_pages import LINK, Page

_MIB = 1 << 20
_MANY_LINKS = b"".join(b"<a href=/%d>%d</a>" % (i, i) for i in range(150_000))
_HOSTS = b"".join(b"<a href=http://127.98.%d.%d/>x</a>" % (i >> 8, i & 255) for i in range(50_000))
_ATTRIBUTES = b" ".join(b"a%d=%d" % (i, i) for i in range(200_000))
_ENTITIES = b"""<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "lol">%s]><l>&j;</l>""" % b"".join(
    b'<!ENTITY %c "%s">' % (98 + i, b"&%c;" % (97 + i) * 10) for i in range(9)
)
_EXTERNAL = b"""<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]>
<html xmlns="http://www.w3.org/1999/xhtml"><body>&a; <a href="/x">x</a></body></html>"""
_ZEROS = gzip.compress(LINK + b" " * (64 * _MIB))


def _zstd(data: bytes) -> bytes:
    try:
        from compression import zstd
    except ImportError:
        from backports import zstd
    return zstd.compress(data)


def _raw_deflate(data: bytes) -> bytes:
    return zlib.compress(data)[2:-4]


PAGES = {
    # compressed
    "gzip": Page(gzip.compress(LINK), coding="gzip"),
    "x_gzip": Page(gzip.compress(LINK), coding="x-gzip"),
    "gzip_shouting": Page(gzip.compress(LINK), coding="GZIP"),
    "deflate": Page(zlib.compress(LINK), coding="deflate"),
    "raw_deflate": Page(_raw_deflate(LINK), coding="deflate"),
    "brotli": Page(brotli.compress(LINK), coding="br"),
    "zstd": Page(_zstd(LINK), coding="zstd"),
    "gzip_bomb": Page(_ZEROS, coding="gzip", found=(), error="DOWNLOAD_MAXSIZE"),
    "brotli_bomb": Page(
        brotli.compress(LINK + b" " * (64 * _MIB), quality=5),
        *("text/html", "br", ()),
        error="DOWNLOAD_MAXSIZE",
    ),
    "zstd_bomb": Page(
        *(_zstd(LINK + b" " * (64 * _MIB)), "text/html", "zstd", ()), error="DOWNLOAD_MAXSIZE"
    ),
    "gzip_cut": Page(gzip.compress(LINK + bytes(range(32, 120)) * 99)[:-40], coding="gzip"),
    "two_encodings": Page(brotli.compress(gzip.compress(LINK)), coding="gzip, br"),
    "gzip_members": Page(gzip.compress(b"<p>") + gzip.compress(LINK), coding="gzip"),
    "gzip_and_rubbish": Page(gzip.compress(LINK) + b"\xff" * 100, coding="gzip"),
    "empty_gzip": Page(b"", coding="gzip", found=()),
    "gzip_unannounced": Page(gzip.compress(LINK), found=()),
    # endless
    "many_links": Page(_MANY_LINKS, found=("/0", "/1"), truncated=True),
    "many_hosts": Page(LINK + _HOSTS, truncated=True),
    "deep_div": Page(b"<div>" * 100_000 + LINK),
    "deep_span": Page(b"<span>" * 100_000 + LINK),
    "deep_table": Page(b"<table><tr><td>" * 100_000 + LINK),
    "deep_attributes": Page(b"<div class=a>" * 100_000 + LINK),
    "deep_2100": Page(b"<div>" * 2_100 + LINK),
    "deep_lists": Page(b"<ul><li>" * 50_000 + LINK),
    "deep_links": Page(b"<a href=/y>" * 50_000 + LINK),
    "deep_formats": Page(b"<font><b><i>" * 50_000 + LINK),
    "million_tables": Page(b"<table>" * 550_000 + LINK),
    "attributes": Page(b"<p " + _ATTRIBUTES + b">" + LINK),
    "attributes_of_the_link": Page(b"<a " + _ATTRIBUTES + b" href=/x>x</a>", found=()),
    "attributes_hidden": Page(
        b"<p " + _ATTRIBUTES[:400_000].replace(b"=", b"='>' b") + b">" + LINK
    ),
    "long_attribute": Page(b"<p title='" + b"x" * (4 * _MIB - 999) + b"'>" + LINK),
    "long_address": Page(b"<a href=/" + b"y" * (3 * _MIB) + b">y</a>" + LINK),
    "less_than": Page(b"<" * (4 * _MIB - 99) + LINK, truncated=True),
    "greater_than": Page(b">" * (4 * _MIB - 99) + LINK, truncated=True),
    "ampersands": Page(b"&" * (4 * _MIB - 99) + LINK, truncated=True),
    "entities": Page(b"&amp;" * 800_000 + LINK),
    "unknown_entities": Page(b"&nosuchthing;" * 300_000 + LINK, truncated=True),
    "comment": Page(LINK + b"<!--" + b"x" * (4 * _MIB - 99)),
    "comments": Page(LINK + b"<!--" * (_MIB - 99)),
    "comment_before": Page(b"<!-- " + b"- -" * (_MIB) + b"-->" + LINK),
    "script": Page(b"<script>" + b"x<" * (2 * _MIB - 99) + b"</script>" + LINK),
    "script_open": Page(LINK + b"<script>" + b"</scrip" * 500_000),
    "style": Page(b"<style>" + b"a{}" * _MIB + b"</STYLE >" + LINK),
    "cdata": Page(b"<![CDATA[ x ]]>" * 100_000 + LINK),
    "declarations": Page(b"<!DOCTYPE html>" * 200_000 + LINK),
    "instructions": Page(b"<?php echo 1 ?>" * 200_000 + LINK),
    "paragraphs": Page(LINK + b"<p>" * (_MIB - 99), truncated=True),
    "closing_tags": Page(b"<div>" * 2_000 + b"</span>" * 500_000 + LINK),
    "text": Page(b"x" * (4 * _MIB - 99) + LINK, truncated=True),
    "words": Page(b"word " * 800_000 + LINK, truncated=True, error="more text, links"),
    "spaces": Page(b" " * (4 * _MIB - 99) + LINK),
    "titles": Page(b"<title>" * 500_000 + b"</title>" + LINK),
    "textareas": Page(b"<textarea></textarea>" * 90_000 + LINK),
    "selects": Page(b"<select><option>" * 200_000 + LINK),
    "forms": Page(LINK + b"<form><input>" * 200_000, truncated=True),
    "metas": Page(LINK + b"<meta name=a content=b>" * 150_000),
    "bases": Page(b"<base href=/>" * 50_000 + LINK),
    "refreshes": Page(LINK + b"<meta http-equiv=refresh content='x'>" * 100_000),
    "quotes": Page(b'<a x="\'" y=\'">' * 50_000 + LINK, found=()),
    "equals": Page(b"<p " + b"=" * (4 * _MIB - 99) + b">" + LINK),
    "frames": Page(b"<frameset>" * 100_000 + b"<noframes>" + LINK + b"</noframes>"),
    "noframes": Page(LINK + b"<noframes>" * 300_000),
    "templates": Page(LINK + b"<template>" * 300_000),
    "drawing": Page(b"<svg>" * 100_000 + b"<a xlink:href=/x>x</a>"),
    "nuls": Page(b"\0" * _MIB + LINK),
    "nuls_within": Page(b"<p>a\0b</p>" * 1000 + LINK),
    # what is no page
    "empty": Page(b"", found=()),
    "blank": Page(b" \n\t ", found=()),
    "one_byte": Page(b"<", found=()),
    "random": Page(
        bytes(i * 7919 % 251 for i in range(300_000)), found=(), error="its bytes are not text"
    ),
    "png": Page(b"\x89PNG\r\n\x1a\n" + bytes(9999), found=()),
    "jpeg": Page(b"\xff\xd8\xff\xe0" + bytes(9999), found=()),
    "pdf": Page(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + LINK),
    "pdf_as_text": Page(b"%PDF-1.7\n", kind="text/plain", found=()),
    "zip": Page(b"PK\x03\x04" + bytes(9999), found=()),
    "program": Page(b"\x7fELF" + bytes(9999), found=()),
    "image": Page(b"GIF89a" + bytes(99), kind="image/gif", found=()),
    "octets": Page(bytes(range(256)) * 99, kind="application/octet-stream", found=()),
    "no_type": Page(b"<html>" + LINK, kind=""),
    "odd_type": Page(LINK, kind="TEXT/HTML ; Charset=UTF-8"),
    "wrong_type": Page(b"<html>" + LINK, kind="text", found=()),
    "plain": Page(LINK, kind="text/plain", found=()),
    "json": Page(b'{"a": "' + b"[" * 100_000 + b'"}', kind="application/json", found=()),
    "deep_json": Page(b"[" * _MIB, kind="application/json", found=(), truncated=True),
    "xhtml": Page(
        b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'>"
        b"<body><a href='/x'>x</a></body></html>",
        kind="application/xhtml+xml",
    ),
    "xml_page": Page(_EXTERNAL, kind="application/xml"),
    "entity_bomb": Page(_ENTITIES, kind="text/xml", found=()),
    "entity_bomb_as_page": Page(_ENTITIES + LINK),
    "external_entity_as_page": Page(_EXTERNAL),
    "deep_xml": Page(
        b"<?xml version='1.0'?>" + b"<a>" * 500_000, kind="text/xml", found=(), truncated=True
    ),
    "svg": Page(
        b"<svg xmlns='http://www.w3.org/2000/svg'>" + LINK + b"</svg>",
        kind="image/svg+xml",
        found=(),
    ),
    "feed": Page(
        b"<?xml version='1.0'?><rss><channel><item><title>t</title>"
        b"<description>&lt;a href='/y'&gt;</description></item></channel></rss>",
        kind="application/rss+xml",
        found=(),
    ),
    "atom": Page(
        b"<?xml version='1.0'?><feed xmlns='http://www.w3.org/2005/Atom'><title>t</title></feed>",
        kind="application/atom+xml",
        found=(),
    ),
    "rss": Page(
        b"<?xml version='1.0'?><!DOCTYPE rss [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><rss><channel>"
        b"<item><title>&a;</title><link>/x</link></item></channel></rss>",
        kind="application/rss+xml",
    ),
    "atom_links": Page(
        b"<feed xmlns='http://www.w3.org/2005/Atom'><link rel='self' href='/y'/>"
        b"<entry><title>t</title><link href='/x'/></entry></feed>",
        kind="application/atom+xml; charset=utf-8",
    ),
    "rdf": Page(
        b"<?xml version='1.0'?><rdf:RDF><channel/><item><link>/x</link></item></rdf:RDF>",
        kind="text/xml",
    ),
    "feed_bomb": Page(
        _ENTITIES.replace(
            b"<l>&j;</l>", b"<rss><item><title>&j;</title><link>/x</link></item></rss>"
        ),
        kind="application/rss+xml",
    ),
    "feed_deep": Page(
        b"<rss><channel><item><link>/x</link>" + b"<item>" * 80_000, kind="application/rss+xml"
    ),
    "feed_large": Page(
        b"<rss><channel><item><link>/x</link></item>" + b"<item>text</item>" * 60_000,
        kind="application/rss+xml",
    ),
    "feed_as_page": Page(b"<rss><channel><title>t</title></channel></rss>" + LINK),
}
