from __future__ import annotations

import logging
from pathlib import Path

import pytest

from frontier.errors import RecordingError
from frontier.warc.appending import open_recording
from frontier.web.recorded_web import RecordedWeb
from tests.frontier.lab.lab_warcs import LAYOUTS, members, page, plain

URLS = ["http://a.example/1", "http://a.example/2", "http://a.example/3"]


def append(path: Path, data: bytes) -> None:
    with open_recording(path) as file:
        file.write(data)


def packed(url: str, scratch: Path) -> bytes:
    return members(scratch, page(url)).read_bytes()


def urls(path: Path) -> list[str]:
    recorded = RecordedWeb([path])
    assert recorded.warnings == []
    return list(recorded.urls())


def test_a_new_file_is_made(tmp_path: Path) -> None:
    append(tmp_path / "new.warc", page(URLS[0]))
    assert urls(tmp_path / "new.warc") == URLS[:1]


def test_an_empty_file_is_a_new_one(tmp_path: Path) -> None:
    (tmp_path / "w").touch()
    append(tmp_path / "w", page(URLS[0]))
    assert urls(tmp_path / "w") == URLS[:1]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_there_stays(layout, tmp_path: Path) -> None:
    path = layout(tmp_path / "w", *map(page, URLS[:2]))
    before = path.read_bytes()
    more = page(URLS[2]) if layout is plain else packed(URLS[2], tmp_path / "scratch")
    append(path, more)
    assert path.read_bytes() == before + more
    assert urls(path) == URLS


def test_every_cut_in_the_last_record_can_be_appended_to(tmp_path: Path, caplog) -> None:
    caplog.set_level(logging.CRITICAL)
    for layout, more in [
        (plain, page(URLS[2])),
        (members, packed(URLS[2], tmp_path / "scratch")),
    ]:
        first = len(layout(tmp_path / "w", page(URLS[0])).read_bytes())
        whole = layout(tmp_path / "w", *map(page, URLS[:2])).read_bytes()
        for cut in range(first, len(whole)):
            (tmp_path / "w").write_bytes(whole[:cut])
            append(tmp_path / "w", more)
            # In a plain file the last four bytes only close a record that is whole.
            kept = URLS if layout is plain and cut >= len(whole) - 4 else [URLS[0], URLS[2]]
            assert urls(tmp_path / "w") == kept, cut


@pytest.mark.parametrize("layout", [plain, members])
def test_a_file_that_ends_inside_its_first_record_begins_anew(layout, tmp_path: Path) -> None:
    whole = layout(tmp_path / "w", page(URLS[0])).read_bytes()
    (tmp_path / "w").write_bytes(whole[: round(0.9 * len(whole))])
    more = page(URLS[1]) if layout is plain else packed(URLS[1], tmp_path / "scratch")
    append(tmp_path / "w", more)
    assert (tmp_path / "w").read_bytes() == more
    assert urls(tmp_path / "w") == URLS[1:2]


def test_a_cut_is_reported(tmp_path: Path, caplog) -> None:
    path = members(tmp_path / "w", *map(page, URLS[:2]))
    path.write_bytes(path.read_bytes()[:-5])
    append(path, b"")
    assert "Cutting an unfinished record off" in caplog.text


@pytest.mark.parametrize("content", [b"notes", b"\x1f\x8b\x08 no gzip", b"WARC/1.0 but no more"])
def test_other_files_are_refused_and_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=r"holds no WARC record.*left as it is"):
        open_recording(path)
    assert path.read_bytes() == content


def test_a_file_with_more_than_one_damage_at_its_end_is_refused_and_left_alone(
    tmp_path: Path,
) -> None:
    path = members(tmp_path / "w", *map(page, URLS))
    content = bytearray(path.read_bytes())
    second, third = (
        at for at in range(1, len(content)) if content[at:].startswith(b"\x1f\x8b\x08")
    )
    for member in (second, third):
        content[member + 30 : member + 50] = b"\xff" * 20
    path.write_bytes(content)
    with pytest.raises(RecordingError, match=f"is damaged at offset {second}"):
        open_recording(path)
    assert path.read_bytes() == content


def test_a_directory_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="No such file"):
        open_recording(tmp_path / "absent" / "w.warc")
    with pytest.raises(RecordingError, match="Is a directory"):
        open_recording(tmp_path)


def test_a_file_that_somebody_records_to_is_left_to_him(tmp_path: Path) -> None:
    path = tmp_path / "w.warc.gz"
    with open_recording(path) as file:
        file.write(b"the beginning of a record")
        with pytest.raises(RecordingError, match="another process records to"):
            open_recording(path)
        assert path.read_bytes() == b"the beginning of a record"
