"""Every statement of the store, as an expression that any database's dialect can compile.

Each name in capitals becomes a constant of `frontier/store/statements.py` that holds its SQLite
text; the code that runs knows only those. Parameters are given by position, in the order in which
they stand in the text.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    Delete,
    Integer,
    Select,
    Table,
    Text,
    bindparam,
    delete,
    exists,
    func,
    insert,
    literal_column,
    not_,
    or_,
    select,
    union,
    update,
)

from frontier.store import schema

_h, _u, _p, _r = schema.hosts.c, schema.urls.c, schema.pages.c, schema.requests.c
_l, _a = schema.leases.c, schema.arrays.c


def _deletion(table: Table, key: str) -> Delete:
    return delete(table).where(table.c[key] == bindparam("old"))


# What a commit writes.
INSERT_HOST = insert(schema.hosts)
INSERT_URL = insert(schema.urls)
INSERT_PAGE = insert(schema.pages)
INSERT_ARRAY = insert(schema.arrays)
INSERT_REQUEST = insert(schema.requests)
INSERT_LEASE = insert(schema.leases)
INSERT_ATTEMPTS = insert(schema.attempts)
INSERT_SETTING = insert(schema.crawl)
INSERT_SAMPLE = insert(schema.samples)
INSERT_ROBOTS = insert(schema.robots)
INSERT_SIGNATURE = insert(schema.signatures)
INSERT_POLITENESS = insert(schema.politeness)
DELETE_ARRAY = _deletion(schema.arrays, "name")
DELETE_REQUEST = _deletion(schema.requests, "rid")
DELETE_LEASE = _deletion(schema.leases, "id")
DELETE_ATTEMPTS = _deletion(schema.attempts, "id")
DELETE_SETTING = _deletion(schema.crawl, "key")
DELETE_SAMPLE = _deletion(schema.samples, "id")
DELETE_ROBOTS = _deletion(schema.robots, "origin")
DELETE_SIGNATURE = _deletion(schema.signatures, "id")
DELETE_POLITENESS = _deletion(schema.politeness, "slot")
MARK_SEED = (
    update(schema.urls).where(_u.id == bindparam("marked")).values({_u.seed: literal_column("1")})
)
# Two statements that any database understands, for an upsert that each spells differently.
_refusal = schema.refusals.c
_same_refusal = (
    _refusal.reason == bindparam("same_reason"),
    _refusal.domain == bindparam("same_domain"),
)
INSERT_REFUSAL = insert(schema.refusals).from_select(
    ["reason", "domain", "count", "example"],
    select(
        *(bindparam("reason", type_=Text), bindparam("domain", type_=Text)),
        *(literal_column("0"), bindparam("example", type_=Text)),
    ).where(not_(exists().where(*_same_refusal))),
)
COUNT_REFUSAL = (
    update(schema.refusals)
    .values({_refusal["count"]: _refusal["count"] + bindparam("more", type_=Integer)})
    .where(*_same_refusal)
)

# A whole crawl, table by table.
ALL_HOSTS = select(_h.id, _h.name).order_by(_h.id)
ALL_URLS = select(_u.id, _u.fp, _u.host, _u.depth, _u.seed).order_by(_u.id)
ALL_PAGES = select(
    *(_p.seq, _p.id, _p.state, _p.handout, _p.relevance),
    *(_p.marks, _p.twin, _p.adj, _p.promises, _p.flags),
).order_by(_p.seq)
ALL_REQUESTS = select(_r.rid, _r.id, _r["class"]).order_by(_r.rid)
ALL_LEASES = select(schema.leases).order_by(_l.seq)
ALL_ATTEMPTS = select(schema.attempts)
ALL_SETTINGS = select(schema.crawl)
ALL_SAMPLES = select(schema.samples).order_by(schema.samples.c.id)
ALL_REFUSALS = select(schema.refusals).order_by(_refusal.reason, _refusal.domain)
ALL_POLITENESS = select(schema.politeness).order_by(schema.politeness.c.slot)
LAST_URL = select(func.max(_u.id))
LAST_PAGE = select(func.max(_p.seq))
LAST_REQUEST = select(func.max(_r.rid))

# Single rows, and ranges of keys.
URL = select(schema.urls).where(_u.id == bindparam("id"))
URL_RANGE = select(schema.urls).where(_u.id.between(bindparam("a"), bindparam("b"))).order_by(_u.id)
ROBOTS = select(schema.robots).where(schema.robots.c.origin == bindparam("origin"))
ORIGINS_BY_OUTCOME = (
    select(schema.robots.c.origin)
    .where(schema.robots.c.outcome == bindparam("outcome"))
    .order_by(schema.robots.c.origin)
)
SIGNATURES_AFTER = (
    select(schema.signatures)
    .where(schema.signatures.c.id > bindparam("id"))
    .order_by(schema.signatures.c.id)
    .limit(literal_column("1000"))
    .offset(literal_column("0"))
)
URL_BY_FINGERPRINT = select(_u.id).where(_u.fp == bindparam("fp"))
URL_BY_TEXT = (
    select(_u.id)
    .where(or_(_u.url == bindparam("url"), _u.canonical == bindparam("canonical")))
    .order_by(_u.id)
)
_LAST_PAGE_OF_URL = select(func.max(_p.seq)).where(_p.id == bindparam("id"))
LAST_LINKS_OF_URL = _LAST_PAGE_OF_URL.where(_p.adj.is_not(None))
PAGE_OF_URL = select(schema.pages).where(_p.seq == _LAST_PAGE_OF_URL.scalar_subquery())
PAGE_RANGE = (
    select(schema.pages).where(_p.seq.between(bindparam("a"), bindparam("b"))).order_by(_p.seq)
)

_last = schema.pages.alias("last").c
_before = _last.seq < bindparam("before")
_last_answer = select(func.max(_last.seq)).where(_last.id == _u.id, _before)
_last_record = select(func.max(_last.seq)).where(
    *(_last.id == _p.id, _last.adj.is_not(None), _before)
)
# A range of the crawl as it was when it had so many answers.
NODE_RANGE = (
    select(
        *(_u.id, _u.url, _u.host, _u.depth, _u.seed),
        *(_p.status, _p.error, _p.title, _p.fetched),
    )
    .select_from(schema.urls.outerjoin(schema.pages, _p.seq == _last_answer.scalar_subquery()))
    .where(_u.id.between(bindparam("a"), bindparam("b")))
    .order_by(_u.id)
)
EDGE_RANGE = (
    select(_p.id, _p.adj, _p.promises, _p.flags, _p.anchors)
    .where(_p.seq.between(bindparam("a"), bindparam("b")), _p.adj.is_not(None))
    .where(_p.seq == _last_record.scalar_subquery())
    .order_by(_p.seq)
)
REQUESTS_OF_URL = select(_r.rid).where(_r.id == bindparam("id"))
REQUEST_BODY = select(_r.body).where(_r.rid == bindparam("rid"))
ARRAY = select(_a.epoch, _a.data).where(_a.name == bindparam("name")).order_by(_a.chunk)

# One column of all pages, and counts.
# The records of the link graph, also those that were replaced since, and where one of them lies.
LESSON_AT = (
    select(_p.seq)
    .where(_p.adj.is_not(None))
    .order_by(_p.seq)
    .limit(literal_column("1"))
    .offset(bindparam("before"))
)
LESSON_RANGE = (
    select(
        *(_p.id, _p.state, _p.relevance, _p.similarity, _p.features, _p.marks, _p.twin),
        *(_p.adj, _p.promises, _p.flags, _p.cues, _p.voices),
    )
    .where(_p.seq.between(bindparam("a"), bindparam("b")), _p.adj.is_not(None))
    .order_by(_p.seq)
)
SAID_RANGE = (
    select(_p.similarity, _p.adj, _p.flags, _p.cues, _p.voices)
    .where(_p.seq.between(bindparam("a"), bindparam("b")), _p.cues.is_not(None))
    .order_by(_p.seq)
)
LINKS = select(_p.seq, _p.id, _p.adj, _p.promises, _p.flags).where(_p.adj.is_not(None))
# No blob is named, so SQLite reads only the beginning of each row.
ANSWERS = select(_p.id, _p.state, _p.priority, _p.relevance).order_by(_p.seq)
ANSWER_TIMES = select(_p.fetched).order_by(_p.seq)
ANSWER_TO = select(func.min(_p.seq)).where(
    _p.id == bindparam("id"), _p.handout == bindparam("handout")
)
COUNT_TAUGHT = select(func.count(_p.id.distinct())).where(
    _p.features.is_not(None), _p.relevance.is_not(None), _p.state == bindparam("state")
)
LAST_FETCHED = select(_p.fetched).where(_p.seq == LAST_PAGE.scalar_subquery())

_finals_only = select(func.max(_p.seq)).group_by(_p.id)
_waiting = union(select(_r.id), select(_l.id))


def _finals(*columns: Any) -> Select[Any]:
    """Return a count of the URLs whose last page decides their state, grouped by `columns`."""
    counted: Select[Any] = select(*columns, func.count())
    final = _p.seq.in_(_finals_only), not_(_p.id.in_(_waiting))
    return counted.where(*final).group_by(*columns)


STATE_COUNTS = _finals(_p.state)
ERROR_COUNTS = _finals(_p.error)
