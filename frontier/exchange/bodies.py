"""Requests of spiders on their way between processes: what may travel, and what is believed.

A pickle runs what it names, so whoever can write to the exchange could run code in every fetcher.
Hence a body, a pickle, names nothing but plain types: values, none of which can run anything. That
keeps nobody who can write there from having memory filled, nor from choosing what is fetched and
which of the spider's methods reads it.
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
"""Every Python that is supported reads it; the next one is for buffers out of band."""
_TYPES: dict[tuple[str, str], type] = {
    (one.__module__, one.__qualname__): one
    for one in (str, complex, date, datetime, time, timedelta, timezone, Decimal)
}
"""All that a plain body may name: text, numbers and containers have marks of their own in a pickle.
None of them can be changed by a pickle that names it."""
_OF_SPIDERS = "meta", "cb_kwargs"
"""Where a spider puts values of its own."""


def seal(fields: dict[str, Any]) -> bytes:
    """Return the body of a request, of what `Request.to_dict` gives.

    Raises RequestBodyError for one that may not travel.
    """
    try:
        pickled = _pickled(fields)
    except Exception as error:  # objects of a spider say themselves how they are pickled
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
    """Return what a body holds; raises RequestBodyError for one that is not to be believed."""
    try:
        fields = _read(body)
    except _NotPlainError as error:
        raise RequestBodyError(_holds("one that came", error)) from None
    except Exception as error:  # whatever stands in the bytes
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
    """A pickle names what is no plain type."""


class _PlainUnpickler(pickle.Unpickler):
    """Knows plain types alone."""

    def find_class(self, module: str, name: str) -> type:
        try:
            return _TYPES[module, name]
        except KeyError:
            raise _NotPlainError(repr(f"{module}.{name}"[:100])) from None


_FOUND_TEXT = type(XPath("string()")(Element("a")))
"""What lxml makes of text: a kind of str that knows where it was."""


class _PlainPickler(pickle.Pickler):
    """Makes text of what lxml finds: each link of a `CrawlSpider` has some in its meta."""

    def reducer_override(self, value: Any) -> Any:
        return (str, (str(value),)) if type(value) is _FOUND_TEXT else NotImplemented


def _pickled(value: object) -> bytes:
    out = BytesIO()
    _PlainPickler(out, protocol=_PROTOCOL).dump(value)
    return out.getvalue()


def _read(pickled: bytes) -> Any:
    return _PlainUnpickler(BytesIO(pickled)).load()


def _first(fields: dict[str, Any], travel: Callable[[object], object]) -> str:
    """Name the first value of a spider that cannot travel, or the request where it is another."""
    values = ((place, one) for place in _OF_SPIDERS for one in fields.get(place, {}).items())
    found = (f"its {place}[{one[0]!r}]" for place, one in values if not _travels(one, travel))
    return next(found, "it")


def _travels(value: object, travel: Callable[[object], object]) -> bool:
    try:
        travel(value)
    except Exception:  # as where the request is sealed
        return False
    return True


def _holds(place: str, error: _NotPlainError) -> str:
    return (
        f"Expected plain values in a request for other processes, but {place} holds a {error}. Put "
        "plain values there."
    )
