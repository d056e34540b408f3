"""Requests of spiders on their way between processes: what may travel, and what is believed.

A pickle runs what it names, so whoever can write to the exchange could run code in every fetcher.
Hence one of two rules holds, on both sides, and a body that was made under the other is refused:

* Without a key a body names nothing but plain types: values, none of which can run anything.
* With a key it is any pickle, signed; nothing is unpickled that does not bear the key's signature.

Neither keeps who can write there from having memory filled; nor, without a key, from choosing what
is fetched and which of the spider's methods reads it.

Layout: one byte, the rule; under the second, 32 bytes of HMAC-SHA256 of that byte and the pickle;
the pickle.
"""

from __future__ import annotations

import hmac
import pickle
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from io import BytesIO
from typing import TYPE_CHECKING, Any

from lxml.etree import Element, XPath

from frontier.errors import RequestBodyError, described

if TYPE_CHECKING:
    from collections.abc import Callable

_PLAIN, _SIGNED = b"\x01", b"\x02"
_SIGNATURE = 32
"""Bytes of a SHA-256."""
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


class RequestBodies:
    """Makes bytes of what `Request.to_dict` gives, and such dicts of bytes."""

    def __init__(self, key: str = "") -> None:
        """`key` is the secret that all processes share; empty: plain values only."""
        self._key = key.encode()

    @property
    def signed(self) -> bool:
        """Whether bodies are signed: what they say was written by one of our processes."""
        return bool(self._key)

    def seal(self, fields: dict[str, Any]) -> bytes:
        """Return the body of a request; raises RequestBodyError for one that may not travel."""
        try:
            pickled = _pickled(fields) if self._key else _pickled_plain(fields)
        except Exception as error:  # objects of a spider say themselves how they are pickled
            raise RequestBodyError(
                "Expected a request that can be pickled, for other processes, but "
                f"{_first(fields, _pickled)} cannot be: {described(error)}. Put plain values there."
            ) from error
        if self._key:
            return _SIGNED + self._signature(pickled) + pickled
        try:
            _read_plain(pickled)
        except _NotPlainError as error:
            place = _first(fields, lambda part: _read_plain(_pickled_plain(part)))
            raise RequestBodyError(_holds(place, error)) from None
        return _PLAIN + pickled

    def open(self, body: bytes) -> dict[str, Any]:
        """Return what a body holds; raises RequestBodyError for one that is not to be believed."""
        read, pickled = self._checked(body)
        try:
            fields = read(pickled)
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

    def _checked(self, body: bytes) -> tuple[Callable[[bytes], Any], bytes]:
        """How a body is to be read, and its pickle."""
        if self._key:
            return pickle.loads, self._verified(body)  # what one of our processes has signed
        if body[:1] != _PLAIN:
            raise RequestBodyError(
                "Expected a request of plain values, but a signed one came, or none. Set "
                "FRONTIER_EXCHANGE_KEY to the key of the processes that write to the database."
            )
        return _read_plain, body[1:]

    def _verified(self, body: bytes) -> bytes:
        rule, signature = body[:1], body[1 : 1 + _SIGNATURE]
        pickled = body[1 + _SIGNATURE :]
        if rule != _SIGNED or not hmac.compare_digest(signature, self._signature(pickled)):
            raise RequestBodyError(
                "Expected a request signed with FRONTIER_EXCHANGE_KEY, but it is signed otherwise "
                "or not at all. Give all processes the same key."
            )
        return pickled

    def _signature(self, pickled: bytes) -> bytes:
        return hmac.digest(self._key, _SIGNED + pickled, "sha256")


class _NotPlainError(Exception):
    """A pickle names what is no plain type."""


class _PlainUnpickler(pickle.Unpickler):
    """Knows plain types alone."""

    def find_class(self, module: str, name: str) -> type:
        try:
            return _TYPES[module, name]
        except KeyError:
            raise _NotPlainError(repr(f"{module}.{name}"[:100])) from None


def _pickled(value: object) -> bytes:
    return pickle.dumps(value, protocol=_PROTOCOL)


_FOUND_TEXT = type(XPath("string()")(Element("a")))
"""What lxml makes of text: a kind of str that knows where it was."""


class _PlainPickler(pickle.Pickler):
    """Makes text of what lxml finds: each link of a `CrawlSpider` has some in its meta."""

    def reducer_override(self, value: Any) -> Any:
        return (str, (str(value),)) if type(value) is _FOUND_TEXT else NotImplemented


def _pickled_plain(value: object) -> bytes:
    out = BytesIO()
    _PlainPickler(out, protocol=_PROTOCOL).dump(value)
    return out.getvalue()


def _read_plain(pickled: bytes) -> Any:
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
        f"Expected plain values in a request for other processes, but {place} holds a {error}. Set "
        "FRONTIER_EXCHANGE_KEY to one secret in all processes, or put plain values there."
    )
