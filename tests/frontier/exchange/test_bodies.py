"""What may travel between processes is what was sent, and nothing that comes runs code."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from datetime import timedelta, timezone
from decimal import Decimal
from pathlib import Path
from threading import Lock
from typing import Any

import lxml.etree
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.errors import RequestBodyError
from frontier.exchange.bodies import opened, seal

FIELDS = {"url": "http://a.test/", "headers": {b"A": [b"b"]}, "meta": {}, "cb_kwargs": {}}

_leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.complex_numbers(allow_nan=False)
    | st.text()
    | st.binary()
    | st.decimals(allow_nan=False)
    | st.datetimes(timezones=st.just(timezone(timedelta(hours=-3))) | st.none())
    | st.dates()
    | st.times()
    | st.timedeltas()
)
_values = st.recursive(
    _leaves,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(), inner, max_size=3)
        | st.tuples(inner, inner)
        | st.sets(st.integers() | st.text(), max_size=3)
        | st.frozensets(st.dates(), max_size=3)
    ),
    max_leaves=8,
)


class Own:
    """A spider's own class."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own)

    __hash__ = None  # type: ignore[assignment]


class Writes:
    """Unpickled, it makes a directory."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (str(self.path),)


class Explodes:
    def __reduce__(self) -> str:
        raise LookupError("not to be pickled")


@given(st.dictionaries(st.text(), _values, max_size=4))
def test_plain_values_come_as_they_were(meta: dict[str, Any]) -> None:
    fields = {**FIELDS, "meta": meta}
    assert opened(seal(fields)) == fields


@pytest.mark.parametrize("place", ["meta", "cb_kwargs"])
@pytest.mark.parametrize("own", [Own(), [Own()], {"deep": (Own(),)}, Own])
def test_other_values_are_refused_by_name_place_and_remedy(place: str, own: object) -> None:
    with pytest.raises(RequestBodyError) as refused:
        seal({**FIELDS, place: {"fine": 1, "item": own, "also": Own()}})
    told = str(refused.value)
    assert f"{place}['item'] holds a '{Own.__module__}.Own'." in told
    assert "Put plain values there" in told


@pytest.mark.parametrize("value", [lambda: 0, Lock(), Explodes()])
def test_what_cannot_be_pickled_is_refused_by_its_place(value: object) -> None:
    with pytest.raises(RequestBodyError, match=r"meta\['it'\]"):
        seal({**FIELDS, "meta": {"it": value}})


def test_a_body_that_would_run_code_is_refused_and_does_not(tmp_path: Path) -> None:
    pickled = pickle.dumps({"meta": Writes(tmp_path / "made")})
    with pytest.raises(RequestBodyError):
        opened(pickled)
    assert list(tmp_path.iterdir()) == []
    pickle.loads(pickled)
    assert [path.name for path in tmp_path.iterdir()] == ["made"], "it does where it may"


GLOBALS = (b"cbuiltins\neval\n", b"cos\nsystem\n", b"cdatetime\nsys.modules\n", b"cio\nopen\n")


@pytest.mark.parametrize("name", GLOBALS)
def test_names_are_refused_in_every_protocol(name: bytes) -> None:
    for made in (name + b".", b"}" + name + b"(tR."):
        with pytest.raises(RequestBodyError):
            opened(made)
    module, attribute = name[1:-1].split(b"\n")
    strings = b"".join(b"\x8c" + bytes([len(one)]) + one for one in (module, attribute))
    with pytest.raises(RequestBodyError):
        opened(b"\x80\x04" + strings + b"\x93.")


@pytest.mark.parametrize("name", [b"cdatetime\ntimezone\n", b"cdecimal\nDecimal\n"])
def test_a_plain_type_cannot_be_changed_by_who_names_it(name: bytes) -> None:
    kind = {b"t": timezone, b"D": Decimal}[name.split(b"\n")[1][:1]]
    before = dict(vars(kind))
    # BUILD with state for __dict__, and with state that is set by setattr.
    for state in (b"}X\x03\x00\x00\x00utcI1\ns", b"N}X\x03\x00\x00\x00utcI1\ns\x86"):
        with pytest.raises(RequestBodyError):
            opened(b"\x80\x02" + name + state + b"b.")
    assert dict(vars(kind)) == before


@pytest.mark.parametrize("body", [b"", b"\x00", b"}", b"what", b"plain", b"\x80\x04]."])
def test_bytes_that_are_no_body_are_refused(body: bytes) -> None:
    with pytest.raises(RequestBodyError):
        opened(body)


def test_text_of_lxml_arrives_as_text() -> None:
    text = lxml.etree.fromstring("<p>said</p>").xpath("string(.)")
    assert type(text) is not str
    assert opened(seal({"meta": {"link_text": text}})) == {"meta": {"link_text": "said"}}
