"""Every statement of the store; parameters are given by position.

Rows are inserted and selected with all columns in the order of `frontier/store/schema.py`.
"""

from __future__ import annotations

from frontier.store.schema import COLUMNS


def _insertion(table: str, rows: int = 1) -> str:
    places = ", ".join("?" * len(COLUMNS[table]))
    columns, values = ", ".join(COLUMNS[table]), ", ".join([f"({places})"] * rows)
    return f"INSERT INTO {table} ({columns}) VALUES {values}"  # noqa: S608 - ours


def _rows(table: str) -> str:
    return f"SELECT {', '.join(COLUMNS[table])} FROM {table}"  # noqa: S608 - ours


# What a commit writes.
INSERT = {table: _insertion(table) for table in COLUMNS}
DELETE = {table: f"DELETE FROM {table} WHERE {key} = ?" for table, (key, *_) in COLUMNS.items()}  # noqa: S608 - ours
"""By the first column."""
URLS_AT_ONCE = 20
"""Rows of one INSERT: it takes half the time of as many statements."""
INSERT_URLS = _insertion("urls", URLS_AT_ONCE)
PUT_CHUNK = (
    INSERT["arrays"]
    + " ON CONFLICT (name, chunk) DO UPDATE SET epoch = excluded.epoch, data = excluded.data"
)
DELETE_CHUNKS = "DELETE FROM arrays WHERE name = ? AND chunk >= ?"
MARK_SEED = "UPDATE urls SET seed = 1 WHERE id = ?"
COUNT_REFUSAL = (
    INSERT["refusals"]
    + " ON CONFLICT (reason, domain) DO UPDATE SET count = count + excluded.count"
)

# A whole crawl, table by table.
ALL_HOSTS = "SELECT id, name FROM hosts ORDER BY id"
ALL_REQUESTS = "SELECT rid, id, class FROM requests ORDER BY rid"
TELLING_REQUESTS = """
    SELECT rid, id, class FROM requests
    WHERE id IN (SELECT id FROM requests WHERE class != 0)
        OR EXISTS (SELECT 1 FROM pages WHERE pages.id = requests.id)
    ORDER BY rid"""
"""Requests of URLs that are queued again, or that have a priority of Scrapy's."""
ALL_LEASES = _rows("leases") + " ORDER BY seq"
ALL_ATTEMPTS = _rows("attempts")
ALL_SETTINGS = _rows("crawl")
ATTEMPTS = "SELECT attempts FROM attempts WHERE id = ?"
SAMPLE = "SELECT text FROM samples WHERE id = ?"
ALL_SAMPLES = _rows("samples") + " ORDER BY id"
SAMPLED_RELEVANCE = "SELECT id, relevance FROM samples ORDER BY id"
ALL_REFUSALS = _rows("refusals") + " ORDER BY reason, domain"
ALL_POLITENESS = _rows("politeness") + " ORDER BY slot"
SNAPSHOTS_AFTER = _rows("snapshots") + " WHERE id > ? ORDER BY id"
SNAPSHOT_IDS = "SELECT id FROM snapshots ORDER BY id"
RENDERINGS = """
    SELECT pages.id, url, rendering FROM pages JOIN urls ON urls.id = pages.id
    WHERE rendering IS NOT NULL ORDER BY seq"""
LAST_URL = "SELECT max(id) FROM urls"
LAST_PAGE = "SELECT max(seq) FROM pages"
LAST_REQUEST = "SELECT max(rid) FROM requests"

# Groups of numbers, and the rows that they copy.
COUNT_URL_GROUPS = "SELECT count(*) FROM url_groups"
COUNT_ANSWER_GROUPS = "SELECT count(*) FROM answer_groups"
PUT_URL_GROUP = INSERT["url_groups"].replace("INSERT", "REPLACE")
URL_GROUPS = "SELECT number, numbers FROM url_groups ORDER BY number"
ANSWER_GROUPS = "SELECT number, numbers FROM answer_groups ORDER BY number"
LINKING_GROUPS = "SELECT number, numbers, links FROM answer_groups ORDER BY number"
URLS_TO_PACK = """
    SELECT fp, host, depth, seed, url, canonical
    FROM urls WHERE id BETWEEN ? AND ? ORDER BY id"""
ANSWERS_TO_PACK = """
    SELECT id, state, coalesce(lease_number, -1), relevance, fetched, priority, marks,
        coalesce(twin, -1), adj, predicted, flags
    FROM pages WHERE seq BETWEEN ? AND ? ORDER BY seq"""

# Single rows, and ranges of keys.
IDS_AT_ONCE = 16
URL = _rows("urls") + " WHERE id = ?"
URLS = f"{_rows('urls')} WHERE id IN ({', '.join('?' * IDS_AT_ONCE)})"
URLS_IN = "SELECT url FROM urls WHERE id BETWEEN ? AND ? ORDER BY id"
ZONES_IN = "SELECT zone FROM urls WHERE id BETWEEN ? AND ? ORDER BY id"
ROBOTS = _rows("robots") + " WHERE origin = ?"
SIGNATURES_AFTER = _rows("signatures") + " WHERE id > ? ORDER BY id LIMIT 1000"
REVISIT = _rows("revisits") + " WHERE id = ?"
REVISITS_AFTER = _rows("revisits") + " WHERE id > ? ORDER BY id LIMIT 1000"
HISTORIES_AFTER = """
    SELECT id, first, changed, changes, share, history
    FROM revisits WHERE id > ? ORDER BY id LIMIT 1000"""
REVISIT_COLUMNS = """
    SELECT id, first, last, revisits, changes, rated, result, signalled, lied
    FROM revisits ORDER BY id"""
REQUEST_BODY = "SELECT body FROM requests WHERE rid = ?"
ARRAY = "SELECT epoch, data FROM arrays WHERE name = ? ORDER BY chunk"
PAGE_OF_URL = _rows("pages") + " WHERE id = ? ORDER BY seq DESC LIMIT 1"
FETCH_OF_URL = "SELECT state, fetched FROM pages WHERE id = ? ORDER BY seq DESC LIMIT 1"
LINKING_PAGE = _rows("pages") + " WHERE id = ? AND adj IS NOT NULL ORDER BY seq DESC LIMIT 1"
# For the page of `scrapy frontier watch`.
_BRIEF = "SELECT id, state, status, fetched, title, relevance, seq FROM pages"
BRIEF_FROM = f"{_BRIEF} WHERE seq >= ? ORDER BY seq DESC LIMIT ?"
BRIEF_OF_URL = f"{_BRIEF} WHERE id = ? ORDER BY seq DESC LIMIT 1"
PAGES_FROM = """
    SELECT count(*), count(relevance), count(CASE WHEN relevance >= ? THEN 1 END), max(fetched)
    FROM pages WHERE seq >= ? AND state = 3"""
ERRORS_IN = """
    SELECT error, count(*) FROM pages
    WHERE seq BETWEEN ? AND ? AND state BETWEEN 4 AND 6 GROUP BY error"""
TARGETS_OF_URL = "SELECT adj FROM pages WHERE id = ? AND adj IS NOT NULL ORDER BY seq DESC LIMIT 1"
POLITENESS = "SELECT until, delay, note FROM politeness WHERE slot = ?"
REFUSALS_BY_REASON = """
    SELECT sum(count), count(*), reason, example, max(count)
    FROM refusals GROUP BY reason ORDER BY 1 DESC, 3"""
"""The example is that of the domain with the most."""

# A range of the crawl as it was when it had so many answers.
NODE_RANGE = """
    SELECT urls.id, url, host, depth, seed, pages.status, error, title, language, asks, fetched,
        revisits.first, revisits.last, revisits.changed, revisits.result
    FROM urls LEFT JOIN pages ON seq = (
        SELECT max(last.seq) FROM pages AS last WHERE last.id = urls.id AND last.seq < ?
    )
    LEFT JOIN revisits ON revisits.id = urls.id
    WHERE urls.id BETWEEN ? AND ? ORDER BY urls.id"""
EDGE_RANGE = """
    SELECT id, adj, predicted, flags, anchors
    FROM pages
    WHERE seq BETWEEN ? AND ? AND adj IS NOT NULL AND seq = (
        SELECT max(last.seq) FROM pages AS last
        WHERE last.id = pages.id AND last.adj IS NOT NULL AND last.seq < ?
    )
    ORDER BY seq"""

# The records of the link graph, including those that were replaced since.
UPDATE_RANGE = """
    SELECT id, state, relevance, similarity, features, marks, twin,
        adj, predicted, flags, matches
    FROM pages WHERE seq BETWEEN ? AND ? AND adj IS NOT NULL ORDER BY seq"""

# Columns of all pages, and counts. Without blobs SQLite reads only the beginning of rows.
REDIRECTS = "SELECT id, adj FROM pages WHERE state = 8 AND length(adj) = 4 ORDER BY seq"
LAST_FETCHED = "SELECT fetched FROM pages WHERE seq = (SELECT max(seq) FROM pages)"
ERROR_COUNTS = """
    SELECT state, error, count(*)
    FROM pages
    WHERE seq IN (SELECT max(seq) FROM pages GROUP BY id)
        AND id NOT IN (SELECT id FROM requests UNION SELECT id FROM leases)
    GROUP BY state, error"""
"""Of the last answers of URLs that are neither queued nor leased."""

# What becomes of pages, for whatever follows a crawl.
NAME_OF_CRAWL = "SELECT value FROM crawl WHERE key = 'crawl'"
LISTED_SCORES = "SELECT value FROM crawl WHERE key = 'scores:'"
SAVED_SCORES = """
    SELECT name, epoch FROM arrays
    WHERE name >= 'scores:' AND name < 'scores;' AND chunk = 0"""


def _is_event(row: str) -> str:
    """Whether an answer is a page, or the end of one: gone, moved, or merged into another URL."""
    return f"""(
        {row}.state = 3
        OR {row}.state = 4 AND ({row}.error LIKE 'gone: %'
            OR {row}.status IN (404, 410) AND (SELECT status FROM pages AS earlier
                WHERE earlier.id = {row}.id AND earlier.seq < {row}.seq
                ORDER BY earlier.seq DESC LIMIT 1) IN (404, 410))
        OR {row}.state = 8 AND ({row}.error LIKE 'moved: %'
            OR {row}.status IN (301, 308) OR {row}.marks & 32))"""  # noqa: S608 - ours


def _events(chosen: str) -> str:
    earlier = "SELECT {} FROM pages AS before WHERE before.id = pages.id AND before.seq < pages.seq"
    return f"""
    SELECT seq, id, state, fetched, final_url, title, hash, relevance, score, marks, twin,
        ({earlier.format("fetched")} ORDER BY before.seq DESC LIMIT 1),
        EXISTS ({earlier.format(1)} AND before.state = 3),
        EXISTS ({earlier.format(1)} AND before.state = 3 AND NOT before.marks & 1)
    FROM pages
    WHERE {chosen} AND {_is_event("pages")} AND NOT EXISTS (
        SELECT 1 FROM pages AS later
        WHERE later.id = pages.id AND later.seq > pages.seq AND {_is_event("later")})
    ORDER BY seq"""  # noqa: S608 - ours


EVENTS_OF = _events(f"id IN ({', '.join('?' * IDS_AT_ONCE)})")
"""The same of pages, by their ids."""
EVENTS_IN = _events("seq BETWEEN ? AND ?")
"""The answers in a range that decide what becomes of their pages, unless a later answer does."""
