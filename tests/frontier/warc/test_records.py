from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frontier.errors import RecordingError
from frontier.warc.records import Damage, Record, scan
from tests.frontier.lab.lab_warcs import (
    INFO,
    LAYOUTS,
    http,
    members,
    one_stream,
    page,
    plain,
)

URLS = [f"http://a.example/{n}" for n in range(5)]


def walk(path: Path) -> tuple[list[Record], list[Damage]]:
    found = list(scan(path))
    return (
        [one for one in found if isinstance(one, Record)],
        [one for one in found if isinstance(one, Damage)],
    )


def targets(records: list[Record]) -> list[str]:
    return [one.fields.get("warc-target-uri", "") for one in records]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_records(layout, tmp_path: Path) -> None:
    records, damages = walk(layout(tmp_path / "w", INFO, *map(page, URLS)))
    assert targets(records)[1:] == URLS
    assert [one.type for one in records] == ["warcinfo", *["response"] * 5]
    assert [one.place.read() for one in records[1:]] == [http(body=u.encode()) for u in URLS]
    assert damages == []


def test_records_that_share_members_are_refused_with_the_remedy(tmp_path: Path) -> None:
    path = one_stream(tmp_path / "w", *map(page, URLS))
    with pytest.raises(RecordingError, match="warcio recompress"):
        walk(path)


def test_a_record_larger_than_any_buffer_is_whole(tmp_path: Path) -> None:
    body = bytes(range(256)) * 4000
    for layout in LAYOUTS:
        records, damages = walk(layout(tmp_path / layout.__name__, page(URLS[0], body)))
        assert records[0].place.read() == http(body=body)
        assert damages == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_file_that_was_cut_off_gives_what_is_whole_and_says_what_is_not(
    layout, tmp_path: Path
) -> None:
    # Random enough that no compressor hides the cut.
    bodies = [bytes((n * 7919 + i * i) % 251 for i in range(3000)) for n in range(5)]
    path = layout(tmp_path / "w", *[page(u, b) for u, b in zip(URLS, bodies, strict=True)])
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 7 // 10])
    records, damages = walk(path)
    assert 1 <= len(records) < 5
    assert targets(records) == URLS[: len(records)]
    assert "cut off" in damages[-1].reason
    assert str(path) in str(damages[-1])


def test_records_behind_a_broken_one_are_found_again(tmp_path: Path) -> None:
    path = members(tmp_path / "w", *map(page, URLS))
    data = bytearray(path.read_bytes())
    second = data.find(b"\x1f\x8b\x08", 10)
    data[second + 30 : second + 50] = b"\xff" * 20
    path.write_bytes(data)
    records, damages = walk(path)
    assert targets(records) == [URLS[0], *URLS[2:]]
    assert [one.offset for one in damages] == [second]


def test_a_wrong_checksum_costs_one_record_only(tmp_path: Path) -> None:
    path = members(tmp_path / "w", *map(page, URLS))
    data = bytearray(path.read_bytes())
    second = data.find(b"\x1f\x8b\x08", 1)
    third = data.find(b"\x1f\x8b\x08", second + 1)
    data[third - 8] ^= 1
    path.write_bytes(data)
    records, damages = walk(path)
    assert targets(records) == [URLS[0], *URLS[2:]]
    assert [one.offset for one in damages] == [second]


def test_a_wrong_length_costs_one_record_only(tmp_path: Path) -> None:
    for said in ("3", "999999", "none"):
        wrong = page(URLS[1]).replace(b"Content-Length: 37", f"Content-Length: {said}".encode())
        assert wrong != page(URLS[1])
        records, damages = walk(plain(tmp_path / "w", page(URLS[0]), wrong, page(URLS[2])))
        assert targets(records) == [URLS[0], URLS[2]]
        assert [one.offset for one in damages] == [len(page(URLS[0]))]


def test_a_short_record_in_a_member_of_its_own_is_damage(tmp_path: Path) -> None:
    records, damages = walk(members(tmp_path / "w", page(URLS[0])[:-20], page(URLS[1])))
    assert targets(records) == [URLS[1]]
    assert damages[0].offset == 0


def test_a_missing_file_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"absent\.warc.*No such file"):
        list(scan(tmp_path / "absent.warc"))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_damage_leaves_a_walk_that_ends_and_records_that_can_be_read(
    data: st.DataObject, tmp_path: Path
) -> None:
    path = data.draw(st.sampled_from(LAYOUTS))(tmp_path / "w", *map(page, URLS))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    records, damages = walk(path)
    for one in records:
        assert len(one.place.read()) == one.place.size
    assert len(records) + len(damages) <= 20
