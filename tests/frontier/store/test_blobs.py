"""The texts of links: packed and unpacked, stored with their page."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.errors import StoreDamagedError
from frontier.store import StoreReader
from frontier.store.blobs import MAX_ANCHOR, packed, unpacked
from tests.support.driven_crawl import OLD, A, B, C, small_crawl


@given(st.lists(st.text(max_size=MAX_ANCHOR + 20), max_size=6))
def test_texts_come_back_cut_on_one_line_and_encodable(texts: list[str]) -> None:
    expected = tuple(
        text[:MAX_ANCHOR].replace("\n", " ").encode("utf-8", "replace").decode() for text in texts
    )
    assert unpacked(packed(texts), len(texts)) == expected


@pytest.mark.parametrize(
    ("blob", "links"),
    [(b"", 1), (b"junk", 1), (packed(["a", "b"]), 3), (packed(["a"])[:-1], 1), (packed([""]), 0)],
)
def test_a_blob_that_does_not_fit_its_links_is_an_error(blob: bytes, links: int) -> None:
    with pytest.raises(ValueError, match="texts of"):
        unpacked(blob, links)


def anchors_of(directory: Path) -> dict[str, dict[str, str]]:
    """Page -> target -> text of the link."""
    with StoreReader.open(directory) as reader:
        urls = [row.url for row in reader.iter_urls()]
        return {
            urls[page.url_id]: {
                urls[target]: text
                for target, text in zip(
                    page.links.targets.tolist(), page.links.anchors or (), strict=True
                )
            }
            for page in reader.iter_pages()
            if page.links is not None
        }


def test_every_link_has_its_own_text_and_a_redirect_none(tmp_path: Path) -> None:
    small_crawl(tmp_path).close()
    found = anchors_of(tmp_path)
    assert found[A][B] == f"to {B}"
    # Known by another page already: not in `urls.anchor`.
    assert found[C][B] == f"to {B}"
    assert found[OLD] == {C: ""}


def test_broken_texts_are_damage(tmp_path: Path) -> None:
    small_crawl(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "frontier.sqlite")) as connection, connection:
        connection.execute("UPDATE pages SET anchors = x'00' WHERE seq = 0")
    with pytest.raises(StoreDamagedError, match="texts of links"), StoreReader.open(tmp_path) as r:
        list(r.iter_pages())
