"""The tables of a crawl, in one file that is appended to and hardly ever updated.

URLs and pages are append-only and carry no secondary index but the one that finds a page's rows:
which URLs are known, and their order, is held in memory and rebuilt from one pass at opening. What
comes and goes (requests, leases, attempts, samples) lies in small tables of its own, and so do the
notes of those who judge pages, hosts and links (robots, signatures, refusals, politeness). A page's
links are one record, 4 bytes a link for the target and 3 for what is known about the link, 7 more
in a crawl with a topic; scores are arrays cut into chunks, because updating a column per URL costs
a thousand times as much. The texts of a page's links are compressed blobs, the last columns: what
does not ask for them does not read them.

The state of a URL is not stored but follows: LEASED if it has a lease; else QUEUED if it has a
pending request or no page; else the state of its last page.

Here and in `frontier/store/queries.py` the store is described for any database; what runs is the
SQLite text that `frontier/store/compile.py` makes of it. Only that, tests and a store on another
database import these two.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    text,
)

SCHEMA_VERSION = 4
"""Stored in the file; raise it and add to `migrations.py` when a table changes."""

metadata = MetaData()


def _key(name: str) -> Column[int]:
    """Return a primary key whose numbers the crawl gives, not the database."""
    return Column(name, Integer, primary_key=True, autoincrement=False)


crawl = Table(
    "crawl",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Text, nullable=False),  # JSON
)

hosts = Table("hosts", metadata, _key("id"), Column("name", Text, nullable=False))

urls = Table(
    "urls",
    metadata,
    _key("id"),  # dense from 0
    Column("fp", BigInteger, nullable=False),
    Column("url", Text, nullable=False),  # as it will be fetched
    Column("canonical", Text),  # null where it equals the URL
    Column("host", Integer, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("found", Float, nullable=False),  # unix seconds
    Column("referrer", Integer),  # id of the page that named it first
    Column("anchor", Text),
    Column("seed", SmallInteger, nullable=False),
)

requests = Table(
    "requests",
    metadata,
    _key("rid"),
    Column("id", Integer, nullable=False),
    Column("class", Integer, nullable=False),  # the priority the request itself asks for
    Column("body", LargeBinary),
)

leases = Table(
    "leases",
    metadata,
    _key("id"),
    Column("rid", Integer),
    Column("seq", Integer, nullable=False),  # hand-out number
    Column("at", Float, nullable=False),  # unix seconds
    Column("attempts", Integer, nullable=False),  # this one included
    Column("priority", Float, nullable=False),
    Column("score", Float),
    Column("rank", Integer),  # 1 + queued URLs that were better
    Column("features", LargeBinary),  # float32, what the order knew of the URL
)

pages = Table(
    "pages",
    metadata,
    _key("seq"),  # answer number
    Column("id", Integer, nullable=False),
    Column("state", SmallInteger, nullable=False),
    Column("status", Integer),  # HTTP status
    Column("error", Text),
    Column("attempts", Integer, nullable=False),
    Column("handout", Integer),
    Column("leased", Float),  # unix seconds
    Column("fetched", Float, nullable=False),  # unix seconds
    Column("final_url", Text),
    Column("title", Text),
    Column("hash", LargeBinary),
    Column("length", Integer),  # characters of visible text
    Column("relevance", Float),
    Column("similarity", Float),
    Column("priority", Float),
    Column("score", Float),
    Column("rank", Integer),
    Column("marks", SmallInteger, nullable=False, server_default=text("0")),  # bits of Mark
    Column("twin", Integer),  # id of the page it repeats or names as canonical
    Column("features", LargeBinary),
    Column("adj", LargeBinary),  # int32 ids of the targets; null: no page of the link graph
    Column("promises", LargeBinary),  # float16 a link
    Column("flags", LargeBinary),  # uint8 a link
    Column("cues", LargeBinary),  # 3 uint8 a link; null, as the next: no topic
    Column("voices", LargeBinary),  # uint32 a link
    Column("anchors", LargeBinary),  # texts of the links, compressed; null: not kept
    Column("contexts", LargeBinary),  # texts around the links, likewise
    Index("pages_id", "id"),
)

attempts = Table(
    "attempts",
    metadata,
    _key("id"),
    Column("attempts", Integer, nullable=False),  # hand-outs so far, all without an answer
)

samples = Table(
    "samples",
    metadata,
    _key("id"),
    Column("relevance", Float, nullable=False),
    Column("text", LargeBinary, nullable=False),  # UTF-8, compressed
)

arrays = Table(
    "arrays",
    metadata,
    Column("name", Text, primary_key=True),
    Column("chunk", Integer, primary_key=True),
    Column("epoch", Integer, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

robots = Table(
    "robots",
    metadata,
    Column("origin", Text, primary_key=True),  # scheme, host and port
    Column("fetched", Float, nullable=False),  # unix seconds of the last try
    Column("good", Float),  # unix seconds of the answer that `body` is of; null: never one
    Column("status", Integer),  # HTTP status of the last try
    Column("outcome", Text, nullable=False),
    Column("body", LargeBinary),
)

signatures = Table(
    "signatures",
    metadata,
    _key("id"),
    Column("bands", LargeBinary, nullable=False),
)

refusals = Table(
    "refusals",
    metadata,
    Column("reason", Text, primary_key=True),
    Column("domain", Text, primary_key=True),
    Column("count", Integer, nullable=False),
    Column("example", Text),
)

politeness = Table(
    "politeness",
    metadata,
    Column("slot", Text, primary_key=True),
    Column("until", Float),  # unix seconds
    Column("delay", Float),  # seconds between requests
    Column("note", Text),
)
