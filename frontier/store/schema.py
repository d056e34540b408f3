"""The tables of a crawl, in one file that is appended to and hardly ever updated.

URLs and pages are append-only and have no secondary index but that of a page's rows: known URLs and
their order are held in memory and rebuilt at opening from copies of their numbers (`row_groups`).
Rows that come and go are in small tables of their own, and so are the notes of rules on pages,
hosts and links. A page's links are one record, 7 bytes a link, 13 in a crawl with a topic, and the
texts; scores are arrays, because updating a column of URLs costs a thousand times as much. Texts of
links are the last columns, so that queries without them do not read them. Table
`pages` follows from the fields of `PageRow`.

The state of a URL is not stored but follows: LEASED if it has a lease; else QUEUED if it has a
pending request or no page; else the state of its last page.
"""

from __future__ import annotations

import re
from dataclasses import fields

from frontier.records import PageRow

SCHEMA_VERSION = 13
"""Stored in the file; raise it with each change of a table: other versions are refused."""

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
    discovered FLOAT NOT NULL,  -- unix seconds
    referrer INTEGER,  -- id of the page that linked to it first
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
    rank INTEGER,  -- 1 + the number of better queued URLs
    features BLOB  -- float32, what the order knew of the URL at the lease
)

CREATE TABLE attempts (
    id INTEGER NOT NULL PRIMARY KEY,
    attempts INTEGER NOT NULL  -- leases so far, all of them without an answer
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
    good FLOAT,  -- unix seconds at which `body` was fetched; null: never
    status INTEGER,  -- HTTP status of the last try
    outcome TEXT NOT NULL,
    lifetime FLOAT NOT NULL,  -- seconds from `fetched` on for which it may be used
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
    result SMALLINT NOT NULL,  -- a Change
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
    details TEXT  -- JSON, of the last snapshot alone
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
"""Type of a field of a page's row -> type of its column."""
PAGE_FIELDS = tuple(
    field.name
    for field in fields(PageRow)
    if field.metadata.get("stored", True) and field.name != "links"
)
"""Fields of a page's row that are a column each, in their order."""
PAGE_KINDS = tuple(str(field.type) for field in fields(PageRow) if field.name in PAGE_FIELDS)
"""Their types as they are spelled."""
LINK_COLUMNS = (
    "adj",  # int32 ids of the targets; null: no page of the link graph
    "predicted",  # float16 a link
    "flags",  # uint8 a link
    "matches",  # 6 uint8 a link; null: no topic
    "anchors",  # texts of the links, compressed; null: not kept
    "contexts",  # texts around the links, likewise
)
"""Columns of the links of a page, behind its fields."""


def _pages() -> str:
    kinds = {
        "id" if name == "url_id" else name: _KINDS[kind]
        for name, kind in zip(PAGE_FIELDS, PAGE_KINDS, strict=True)
    }
    kinds |= {"seq": "INTEGER NOT NULL PRIMARY KEY"} | dict.fromkeys(LINK_COLUMNS, "BLOB")
    columns = ",\n    ".join(f"{name} {kind}" for name, kind in kinds.items())
    return f"CREATE TABLE pages (\n    {columns}\n)"


# Without comments and indentation all statements fit into the first page of the file: damage behind
# it spares them.
_TEXTS = [
    re.sub("^ +| +--.*", "", text, flags=re.MULTILINE)
    for text in (*_TABLES.strip().split("\n\n"), _pages())
]
TABLES = {text.split()[2]: text for text in _TEXTS}
"""Name of a table -> the statement that makes it; its keys are numbers that the crawl gives."""
COLUMNS = {
    table: tuple(re.findall("^([a-z_]+) ", text, re.MULTILINE)) for table, text in TABLES.items()
}
"""Name of a table -> its columns, in the order of this file."""
CREATE = (*TABLES.values(), "CREATE INDEX pages_id ON pages (id)")
"""The statements that make an empty crawl."""

# -- settings of a crawl: keys of table `crawl` ----------------------------------------------------
# SCORES and PRIOR list arrays, whose names in table `arrays` begin with that key.

CRAWL = "crawl"
"""Name of the crawl, 32 hexadecimal digits drawn when its file was made."""
IDENTITY = "identity"
"""`CrawlConfig.identity` of the last run."""
PARAMETERS = "parameters"
"""`CrawlConfig.parameters` of the last run."""
URL_RULES = "url rules"
"""`UrlRules.as_json` of the first run."""
TOPIC = "topic state"
"""State of the topic model; None: nothing learned yet."""
EXAMPLES = "example texts"
"""Texts of the examples to which the topic model was fitted, in order."""
NOT_EXAMPLES = "unwanted texts"
"""Texts of the unwanted examples to which it was fitted, in order."""
LABELLED = "labelled texts"
"""Texts of labelled pages to which it was fitted since, by "yes" or "no" and by id."""
CONTRASTED = "contrasted at"
"""Number of pages at which the topic model next gets the fetched pages."""
SCORES = "scores:"
"""Names of the crawl order's arrays of the last epoch."""
PRIOR = "prior:"
"""Names of the arrays of prior scores; empty: no file of scores was given."""
DEATHS = "deaths"
"""URLs that were in flight at crashes, see `frontier/backend/rules/crash_suspects.py`."""
DATED = "dated pages"
"""Ids of pages that date their links (sitemaps, feeds), and so show changes of other pages."""
NOISE = "noise"
"""Name of the array of bytes with the places of hosts that vary at every revisit."""
TRAPS = "traps"
"""Name of the array of bytes with the state of the trap detector."""
EXCHANGE = "exchange"
"""Name by which an exchange knows the crawl, while it is served to several fetchers; None: not."""
APPLIED = "applied"
"""Tokens of the fetchers' messages, other than answers, that the last turn applied."""
NEXT_LEASE = "lease_number"
"""Number of the next lease of a served crawl: fetchers may still answer to any before it."""
