"""The tables of a crawl, in one file that is appended to and hardly ever updated.

URLs and pages are append-only and carry no secondary index but the one that finds a page's rows:
which URLs are known, and their order, is held in memory and rebuilt from one pass at opening. What
comes and goes lies in small tables of its own, and so do the notes of those who judge pages, hosts
and links. A page's links are one record, 7 bytes a link, 14 in a crawl with a topic; scores are
arrays, because updating a column per URL costs a thousand times as much. Texts of links are the
last columns: what does not ask for them does not read them.

The state of a URL is not stored but follows: LEASED if it has a lease; else QUEUED if it has a
pending request or no page; else the state of its last page.
"""

from __future__ import annotations

import re

SCHEMA_VERSION = 4
"""Stored in the file; raise it and add to `migrations.py` when a table changes."""

_TABLES = """
CREATE TABLE crawl (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL  -- JSON
)

CREATE TABLE hosts (
    id INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL
)

CREATE TABLE urls (
    id INTEGER NOT NULL PRIMARY KEY,  -- dense from 0
    fp BIGINT NOT NULL,
    url TEXT NOT NULL,  -- as it will be fetched
    canonical TEXT,  -- null where it equals the URL
    host INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    found FLOAT NOT NULL,  -- unix seconds
    referrer INTEGER,  -- id of the page that named it first
    anchor TEXT,
    seed SMALLINT NOT NULL
)

CREATE TABLE requests (
    rid INTEGER NOT NULL PRIMARY KEY,
    id INTEGER NOT NULL,
    class INTEGER NOT NULL,  -- the priority the request itself asks for
    body BLOB
)

CREATE TABLE leases (
    id INTEGER NOT NULL PRIMARY KEY,
    rid INTEGER,
    seq INTEGER NOT NULL,  -- hand-out number
    at FLOAT NOT NULL,  -- unix seconds
    attempts INTEGER NOT NULL,  -- this one included
    priority FLOAT NOT NULL,
    score FLOAT,
    rank INTEGER,  -- 1 + queued URLs that were better
    features BLOB  -- float32, what the order knew of the URL
)

CREATE TABLE pages (
    seq INTEGER NOT NULL PRIMARY KEY,  -- answer number
    id INTEGER NOT NULL,
    state SMALLINT NOT NULL,
    status INTEGER,  -- HTTP status
    error TEXT,
    attempts INTEGER NOT NULL,
    handout INTEGER,
    leased FLOAT,  -- unix seconds
    fetched FLOAT NOT NULL,  -- unix seconds
    final_url TEXT,
    title TEXT,
    hash BLOB,
    length INTEGER,  -- characters of visible text
    relevance FLOAT,
    similarity FLOAT,
    priority FLOAT,
    score FLOAT,
    rank INTEGER,
    marks SMALLINT DEFAULT 0 NOT NULL,  -- bits of Mark
    twin INTEGER,  -- id of the page it repeats or names as canonical
    features BLOB,
    adj BLOB,  -- int32 ids of the targets; null: no page of the link graph
    promises BLOB,  -- float16 a link
    flags BLOB,  -- uint8 a link
    cues BLOB,  -- 3 uint8 a link; null, as the next: no topic
    voices BLOB,  -- uint32 a link
    anchors BLOB,  -- texts of the links, compressed; null: not kept
    contexts BLOB  -- texts around the links, likewise
)

CREATE TABLE attempts (
    id INTEGER NOT NULL PRIMARY KEY,
    attempts INTEGER NOT NULL  -- hand-outs so far, all without an answer
)

CREATE TABLE samples (
    id INTEGER NOT NULL PRIMARY KEY,
    relevance FLOAT NOT NULL,
    text BLOB NOT NULL  -- UTF-8, compressed
)

CREATE TABLE arrays (
    name TEXT NOT NULL,
    chunk INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (name, chunk)
)

CREATE TABLE robots (
    origin TEXT NOT NULL PRIMARY KEY,  -- scheme, host and port
    fetched FLOAT NOT NULL,  -- unix seconds of the last try
    good FLOAT,  -- unix seconds of the answer that `body` is of; null: never one
    status INTEGER,  -- HTTP status of the last try
    outcome TEXT NOT NULL,
    body BLOB
)

CREATE TABLE signatures (
    id INTEGER NOT NULL PRIMARY KEY,
    bands BLOB NOT NULL
)

CREATE TABLE refusals (
    reason TEXT NOT NULL,
    domain TEXT NOT NULL,
    count INTEGER NOT NULL,
    example TEXT,
    PRIMARY KEY (reason, domain)
)

CREATE TABLE politeness (
    slot TEXT NOT NULL PRIMARY KEY,
    until FLOAT,  -- unix seconds
    delay FLOAT,  -- seconds between requests
    note TEXT
)
"""

# Without comments: SQLite's DROP COLUMN would cut a table's text within them.
_TEXTS = re.sub(" *--.*", "", _TABLES).strip().split("\n\n")
TABLES = {text.split()[2]: text for text in _TEXTS}
"""Name of a table -> the statement that makes it; its keys are numbers that the crawl gives."""
COLUMNS = {
    table: tuple(re.findall("^    ([a-z_]+) ", text, re.MULTILINE))
    for table, text in TABLES.items()
}
"""Name of a table -> its columns in the order of this file; an older crawl's differs."""
CREATE = (*TABLES.values(), "CREATE INDEX pages_id ON pages (id)")
"""What makes an empty crawl."""
