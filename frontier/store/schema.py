"""The tables of a crawl, in one file that is appended to and hardly ever updated.

URLs and pages are append-only and carry no secondary index but the one that finds a page's rows:
which URLs are known, and their order, is held in memory and rebuilt from one pass at opening over
copies of their numbers (`row_groups`). What comes and goes lies in small tables of its own, and so
do the notes of those who judge pages, hosts and links. A page's links are one record, 7 bytes a
link, 14 in a crawl with a topic; scores are arrays, because updating a column per URL costs a
thousand times as much. Texts of links are the
last columns: what does not ask for them does not read them. Table
`pages` follows from the fields of `PageRecord`.

The state of a URL is not stored but follows: LEASED if it has a lease; else QUEUED if it has a
pending request or no page; else the state of its last page.
"""

from __future__ import annotations

import re
from dataclasses import fields

from frontier.records import PageRecord

SCHEMA_VERSION = 9
"""Stored in the file; raise it when a table changes: a file of another version is refused."""

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
    seed SMALLINT NOT NULL,
    zone INTEGER NOT NULL  -- where on that page
)

CREATE TABLE url_groups (
    number INTEGER NOT NULL PRIMARY KEY,  -- of a group of successive ids
    numbers BLOB NOT NULL
)

CREATE TABLE answer_groups (
    number INTEGER NOT NULL PRIMARY KEY,  -- of a group of successive answers
    numbers BLOB NOT NULL,
    links BLOB NOT NULL
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
    seq INTEGER NOT NULL,  -- lease number
    at FLOAT NOT NULL,  -- unix seconds
    attempts INTEGER NOT NULL,  -- this one included
    priority FLOAT NOT NULL,
    score FLOAT,
    rank INTEGER,  -- 1 + queued URLs that were better
    features BLOB  -- float32, what the order knew of the URL
)

CREATE TABLE attempts (
    id INTEGER NOT NULL PRIMARY KEY,
    attempts INTEGER NOT NULL  -- leases so far, all without an answer
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
    lifetime FLOAT NOT NULL,  -- seconds from `fetched` on that the answer may be used
    body BLOB
)

CREATE TABLE signatures (
    id INTEGER NOT NULL PRIMARY KEY,
    bands BLOB NOT NULL
)

CREATE TABLE revisits (
    id INTEGER NOT NULL PRIMARY KEY,
    first FLOAT NOT NULL,  -- unix seconds, as the next two
    last FLOAT NOT NULL,
    changed FLOAT,
    revisits INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    rated FLOAT NOT NULL,
    status SMALLINT,
    found SMALLINT NOT NULL,  -- a Change
    share FLOAT,
    signalled FLOAT,
    etag BLOB,
    modified BLOB,
    lied SMALLINT NOT NULL,
    blocks BLOB,
    history BLOB NOT NULL,
    request BLOB
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

CREATE TABLE snapshots (
    id INTEGER NOT NULL PRIMARY KEY,
    at FLOAT NOT NULL,  -- unix seconds
    figures TEXT NOT NULL,  -- JSON
    details TEXT  -- JSON, of the last one alone
)
"""

_KINDS = {
    "int": "INTEGER NOT NULL",
    "float": "FLOAT NOT NULL",
    "State": "SMALLINT NOT NULL",
    "Mark": "SMALLINT NOT NULL",
    "int | None": "INTEGER",
    "float | None": "FLOAT",
    "str | None": "TEXT",
    "bytes | None": "BLOB",
    "NDArray[np.float32] | None": "BLOB",
}
"""Type of a field of a page's record -> that of its column."""
PAGE_FIELDS = tuple(
    one.name
    for one in fields(PageRecord)
    if one.metadata.get("stored", True) and one.name != "links"
)
"""Fields of a page's record that are a column each, in their order."""
PAGE_KINDS = tuple(str(one.type) for one in fields(PageRecord) if one.name in PAGE_FIELDS)
"""Their types as they are spelled."""
LINK_COLUMNS = (
    "adj",  # int32 ids of the targets; null: no page of the link graph
    "predicted",  # float16 a link
    "flags",  # uint8 a link
    "matches",  # 3 uint8 a link; null: no topic
    "anchors",  # texts of the links, compressed; null: not kept
    "contexts",  # texts around the links, likewise
)
"""What the links of a page are stored as, behind its fields."""


def _pages() -> str:
    kinds = {
        "id" if name == "url_id" else name: _KINDS[kind]
        for name, kind in zip(PAGE_FIELDS, PAGE_KINDS, strict=True)
    }
    kinds |= {"seq": "INTEGER NOT NULL PRIMARY KEY"} | dict.fromkeys(LINK_COLUMNS, "BLOB")
    columns = ",\n    ".join(f"{name} {kind}" for name, kind in kinds.items())
    return f"CREATE TABLE pages (\n    {columns}\n)"


# Without comments all of them fit into the first page of the file: damage behind it leaves them.
_TEXTS = [re.sub(" +--.*", "", text) for text in (*_TABLES.strip().split("\n\n"), _pages())]
TABLES = {text.split()[2]: text for text in _TEXTS}
"""Name of a table -> the statement that makes it; its keys are numbers that the crawl gives."""
COLUMNS = {
    table: tuple(re.findall("^    ([a-z_]+) ", text, re.MULTILINE))
    for table, text in TABLES.items()
}
"""Name of a table -> its columns, in the order of this file."""
CREATE = (*TABLES.values(), "CREATE INDEX pages_id ON pages (id)")
"""What makes an empty crawl."""

# -- what a crawl remembers about itself between runs ----------------------------------------------
# Names of settings, but for the arrays that SCORES and PRIOR list: each lies under that and its
# name.

IDENTITY = "identity"
"""`CrawlConfig.identity` of the last run."""
PARAMETERS = "parameters"
"""`CrawlConfig.parameters` of the last run."""
URL_RULES = "url rules"
"""`UrlRules.as_json` of those it was started with."""
TOPIC = "topic state"
"""What the topic model learned; None: nothing yet."""
EXAMPLES = "example texts"
"""What the topic model was fitted to beside the topic's words: texts, in order."""
NOT_EXAMPLES = "unwanted texts"
"""Texts of the unwanted examples it was fitted to, in order."""
LABELLED = "labelled texts"
"""What it was fitted to since: texts by "yes" or "no" and by id, of pages that people labelled."""
CONTRASTED = "contrasted at"
"""Number of pages at which the topic model is next shown what was fetched."""
SCORES = "scores:"
"""Names of the crawl order's arrays of the last epoch."""
PRIOR = "prior:"
"""Names of the arrays that a file of scores became; empty: none was given."""
DEATHS = "deaths"
"""What was in flight when processes of the crawl died, see `frontier/backend/crash_suspects.py`."""
DATED = "dated pages"
"""Ids of pages that give their links dates, sitemaps and feeds: what a revisit of them shows."""
NOISE = "noise"
"""Name of the array of bytes that says which places of hosts vary at every revisit."""
TRAPS = "traps"
"""Name of the array of bytes that the watch over traps goes on with."""
EXCHANGE = "exchange"
"""Name by which an exchange knows the crawl, while it is served to several fetchers; None: not."""
APPLIED = "applied"
"""Of what fetchers said of their own accord, the tokens of what the last turn took in."""
NEXT_LEASE = "lease_number"
"""Number of the next lease of a served crawl: fetchers may still answer to any before it."""
