"""The border to Frontera: its requests carry our records in their meta, whose keys must be bytes.

Beside the record stands what a crawling strategy of Frontera's is told of a URL there.
"""

from __future__ import annotations

from frontera.core.models import Request

from frontier.records import HandedOut, UrlRecord

FINGERPRINT = b"fingerprint"
"""int64, as in the record."""
STATE = b"state"
"""One of Frontera's `States`, where `LedgerStates.set_states` was asked for it."""
_RECORD = b"record"


def request_of(record: UrlRecord) -> Request:
    """Return the request by which Frontera is told of a URL."""
    return Request(record.url, meta={FINGERPRINT: record.fingerprint, _RECORD: record})


def record_of(request: Request) -> UrlRecord:
    """Return the record of a seed or of a link."""
    record: UrlRecord = request.meta[_RECORD]
    return record


def handed_out(request: Request) -> HandedOut:
    """Return the record of a URL that Frontera handed out."""
    record: HandedOut = request.meta[_RECORD]
    return record
