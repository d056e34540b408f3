"""Requests of spiders on their way between processes: pickles of plain values alone.

A pickle runs what it names, so access to the exchange could run code in every fetcher. Hence the
pickle of a request may name plain types only, whose values cannot run anything. With access to the
exchange it is still possible to fill memory, and to choose which URLs are fetched and which method
of the spider reads them.
"""

from __future__ import annotations

import pickle
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from io import BytesIO
from typing import TYPE_CHECKING, Any

from lxml.etree import Element, XPath

from frontier.errors import RequestBodyError, described

if TYPE_CHECKING:
    from collections.abc import Callable

_PROTOCOL = 4
"""Pickle protocol that every supported Python reads; the next is for out-of-band buffers."""
_TYPES: dict[tuple[str, str], type] = {
    (kind.__module__, kind.__qualname__): kind
    for kind in (str, complex, date, datetime, time, timedelta, timezone, Decimal)
}
"""The types that a pickle may name; text, numbers and containers have opcodes of their own. None of
them can be changed by a pickle that names it."""
_OF_SPIDERS = "meta", "cb_kwargs"
"""Fields of a request that hold values of the spider."""


def seal(fields: dict[str, Any]) -> bytes:
    """Return the pickle of a request, given as the fields of `Request.to_dict`.

    Raises RequestBodyError for a request that may not travel.
    """
    try:
        pickled = _pickled(fields)
    except Exception as error:  # objects of a spider define how they are pickled
        raise RequestBodyError(
            "Expected a request that can be pickled, for other processes, but "
            f"{_first(fields, _pickled)} cannot be: {described(error)}. Put plain values there."
        ) from error
    try:
        _read(pickled)
    except _NotPlainError as error:
        place = _first(fields, lambda part: _read(_pickled(part)))
        raise RequestBodyError(_holds(place, error)) from None
    return pickled


def opened(body: bytes) -> dict[str, Any]:
    """Return the fields of a pickled request; RequestBodyError for a pickle that `seal` refuses."""
    try:
        fields = _read(body)
    except _NotPlainError as error:
        raise RequestBodyError(_holds("one that came", error)) from None
    except Exception as error:  # the bytes may be anything
        raise RequestBodyError(
            f"Expected the body of a request, but what came cannot be read: {described(error)}."
            " Have all processes run the same code."
        ) from error
    if type(fields) is not dict:
        raise RequestBodyError(
            f"Expected the fields of a request, but a {type(fields).__name__} came. "
            "See who else writes to the database of FRONTIER_EXCHANGE."
        )
    return fields


class _NotPlainError(Exception):
    """A pickle names a type that is not plain."""


class _PlainUnpickler(pickle.Unpickler):
    """Loads plain types alone."""

    def find_class(self, module: str, name: str) -> type:
        try:
            return _TYPES[module, name]
        except KeyError:
            raise _NotPlainError(repr(f"{module}.{name}"[:100])) from None


_LXML_TEXT = type(XPath("string()")(Element("a")))
"""lxml's kind of str, which knows its place in the document."""


class _PlainPickler(pickle.Pickler):
    """Makes plain text of lxml's, which each link of a `CrawlSpider` has in its meta."""

    def reducer_override(self, value: Any) -> Any:
        return (str, (str(value),)) if type(value) is _LXML_TEXT else NotImplemented


def _pickled(value: object) -> bytes:
    out = BytesIO()
    _PlainPickler(out, protocol=_PROTOCOL).dump(value)
    return out.getvalue()


def _read(pickled: bytes) -> Any:
    return _PlainUnpickler(BytesIO(pickled)).load()


def _first(fields: dict[str, Any], travel: Callable[[object], object]) -> str:
    """Name the first value of a spider that cannot travel; "it" where another field cannot."""
    values = ((place, item) for place in _OF_SPIDERS for item in fields.get(place, {}).items())
    failing = (f"its {place}[{item[0]!r}]" for place, item in values if not _travels(item, travel))
    return next(failing, "it")


def _travels(value: object, travel: Callable[[object], object]) -> bool:
    try:
        travel(value)
    except Exception:  # as in `seal`
        return False
    return True


def _holds(place: str, error: _NotPlainError) -> str:
    return (
        f"Expected plain values in a request for other processes, but {place} holds a {error}. Put "
        "plain values there."
    )
