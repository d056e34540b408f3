"""The file of the index: what goes in comes out, once, and is whole after a kill."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.errors import SearchError, StoreMissingError
from frontier.search import IndexedPage, SearchIndex, search
from frontier.search.index import FIELDS, FILE_NAME, SCHEMA_VERSION, PageNumbers
from frontier.search.words import term_list, url_words

PAGE = IndexedPage(7, "http://a.example/", "Comets", "Ice and dust far from the sun.")


def urls(directory: Path, words: str) -> list[str]:
    return [one.url for one in search(directory, words).answers]


def terms_left(directory: Path) -> dict[str, int]:
    """Number of distinct terms that a field holds."""
    with closing(sqlite3.connect(directory / FILE_NAME)) as connection:
        connection.execute("CREATE VIRTUAL TABLE temp.v USING fts5vocab(main, words, instance)")
        rows = connection.execute("SELECT DISTINCT term FROM v").fetchall()
    fields = [FIELDS[int(token[-2])] for (token,) in rows]
    return {field: fields.count(field) for field in FIELDS}


def test_a_page_that_is_added_twice_is_there_once_and_a_changed_one_is_replaced(
    tmp_path: Path,
) -> None:
    with SearchIndex.open(tmp_path, write=True) as index:
        assert index.add([PAGE]) == 1
        assert index.add([PAGE, PAGE]) == 0
        assert index.add([PAGE._replace(text="Rock and iron.")]) == 1
        assert len(index) == 1
    assert urls(tmp_path, "iron") == [PAGE.url]
    assert search(tmp_path, "dust").answers == ()


def test_a_page_that_is_removed_leaves_nothing(tmp_path: Path) -> None:
    with SearchIndex.open(tmp_path, write=True) as index:
        index.add([PAGE])
        index.set_links({7: "dirti snowbal"})
        index.set_numbers({7: PageNumbers(0.5, 0.5, None)})
        assert index.remove([7, 8]) == 1
        assert len(index) == 0
        assert index.numbers([7]) == {}
    assert terms_left(tmp_path) == dict.fromkeys(FIELDS, 0)
    assert search(tmp_path, "comets snowball").answers == ()


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1, max_size=4))
def test_whatever_a_page_says_can_be_replaced_and_removed(
    tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str]]
) -> None:
    directory = tmp_path_factory.mktemp("index")
    with SearchIndex.open(directory, write=True) as index:
        for title, text in texts:
            index.add([IndexedPage(1, f"http://a.example/{text}", title, text)])
            assert len(index) == 1
        index.remove([1])
    assert terms_left(directory) == dict.fromkeys(FIELDS, 0)


def test_a_text_longer_than_is_read_can_be_removed(tmp_path: Path) -> None:
    with SearchIndex.open(tmp_path, write=True) as index:
        index.add([PAGE._replace(text="  ".join(f"word{n}" for n in range(30_000)))])
        index.remove([7])
    assert terms_left(tmp_path)["text"] == 0


def test_what_is_written_is_read_beside_the_writer(tmp_path: Path) -> None:
    with SearchIndex.open(tmp_path, write=True) as index:
        index.add([PAGE])
        assert urls(tmp_path, "comets") == [PAGE.url]
        with index.transaction() as cursor:
            cursor.execute("DELETE FROM pages")
            cursor.execute("INSERT INTO words (words) VALUES ('delete-all')")
            assert search(tmp_path, "comets").pages == 1  # what is not committed is not seen
        assert search(tmp_path, "comets").pages == 0
    assert [one.name for one in tmp_path.iterdir()] == [FILE_NAME]


WRITER = """
import sys
from pathlib import Path
from frontier.search import IndexedPage, SearchIndex
with SearchIndex.open(Path(sys.argv[1]), write=True) as index:
    for n in range(0, 100_000, 10):
        ids = range(n, n + 10)
        index.add(IndexedPage(i, f"http://a.example/{i}", f"page{i}", "many words") for i in ids)
        print(n + 10, flush=True)
"""


def test_after_a_kill_all_whole_batches_are_there_and_indexing_goes_on(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    said = 0
    while said < 200:
        said = int(process.stdout.readline())
    process.kill()
    process.wait()
    said = int(([said, *map(int, process.stdout.read().split())])[-1])
    process.stdout.close()
    report = search(tmp_path, "many", n=1)
    assert said <= report.pages <= said + 10
    assert report.pages % 10 == 0
    assert urls(tmp_path, f"page{said - 1}") == [f"http://a.example/{said - 1}"]
    with SearchIndex.open(tmp_path, write=True) as index:
        index.add([IndexedPage(3, "http://a.example/3", "changed", "")])
        index.merge()
        assert len(index) == report.pages
        index.rows("INSERT INTO words (words) VALUES ('integrity-check')")
    assert urls(tmp_path, "changed") == ["http://a.example/3"]
    assert urls(tmp_path, "page3") == []


def test_merging_makes_the_file_smaller_and_loses_nothing(tmp_path: Path) -> None:
    with SearchIndex.open(tmp_path, write=True) as index:
        for n in range(60):
            text = " ".join(f"w{(n * k) % 997}" for k in range(300))
            index.add([IndexedPage(n, f"http://a.example/{n}", f"title{n}", text)])
        before = (tmp_path / FILE_NAME).stat().st_size
        index.merge()
        assert {len(index), len(index.pages(range(60)))} == {60}
    assert (tmp_path / FILE_NAME).stat().st_size < before or before < 100_000
    assert urls(tmp_path, "title41") == ["http://a.example/41"]


def test_no_crawl_and_no_index_are_two_errors(tmp_path: Path) -> None:
    with pytest.raises(StoreMissingError):
        search(tmp_path, "comets")
    (tmp_path / "frontier.sqlite").touch()
    with pytest.raises(SearchError, match=r"scrapy frontier index .* --warc"):
        search(tmp_path, "comets")
    assert not (tmp_path / FILE_NAME).exists()


@pytest.mark.parametrize("write", [False, True])
def test_an_index_of_another_version_and_other_files_are_refused(
    tmp_path: Path, write: bool
) -> None:
    SearchIndex.open(tmp_path, write=True).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(
        SearchError, match=f"version {SCHEMA_VERSION}.* version {SCHEMA_VERSION + 1}"
    ):
        SearchIndex.open(tmp_path, write=write)
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute("PRAGMA application_id = 1")
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(SearchError, match="another program"):
        SearchIndex.open(tmp_path, write=write)
    assert (tmp_path / FILE_NAME).read_bytes() == before
    (tmp_path / FILE_NAME).write_text("no database" * 1000)
    with pytest.raises(SearchError, match="damaged"):
        SearchIndex.open(tmp_path, write=write)


def test_terms_are_those_that_the_version_was_made_with() -> None:
    """Pages are taken out by their terms: who changes these raises SCHEMA_VERSION."""
    text = (
        "Stars' galaxies; RUNNING 2 the Straße é́ 東京都庁 กินข้าว 한국어는 हिन्दी under_score a\ud800b"
    )
    tokens = IndexedPage(1, "http://a.example/b?c=d", "A title", text + " stars" * 9).tokens()
    assert (SCHEMA_VERSION, blake2b(tokens.encode(), digest_size=8).hexdigest()) == (
        1,
        "9eb67b295b234104",
    )


def test_words_of_a_url_are_those_of_host_path_and_query() -> None:
    assert term_list(url_words("https://www.Stars.example/dark%20matter/a_b.html?q=caf%C3%A9")) == [
        *("stars", "example", "dark", "matter", "a", "b", "html", "q", "café"),
    ]
    assert term_list(url_words("http://[broken")) == []
