"""The file of the index: what goes in comes out, once, and is whole after a kill."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pytest
import tantivy
from hypothesis import given
from hypothesis import strategies as st

from frontier.errors import SearchError, StoreMissingError
from frontier.search import IndexedPage, SearchIndex, search
from frontier.search.index import FIELDS, FOLDER, SCHEMA_VERSION, WRITTEN, PageNumbers
from frontier.search.words import stems, term_list, url_words, with_letters

PAGE = IndexedPage(7, "http://a.example/", "Comets", "Ice and dust far from the sun.")


def urls(directory: Path, words: str) -> list[str]:
    return [one.url for one in search(directory, words).answers]


def terms_left(directory: Path) -> set[str]:
    """Terms that pages have in any field."""
    with SearchIndex.open(directory) as index:
        assert len(index) == len(index.linked_ids()) == 0
        every = tantivy.Query.all_query()
        terms = (
            index._searcher.terms_with_prefix(name + end, "", every)
            for name in FIELDS
            for end in ("", WRITTEN)
        )
        return {term for found in terms for term, _ in found}


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
        assert np.isnan(index.numbers([8])).all()
    assert terms_left(tmp_path) == set()
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
    assert terms_left(directory) == set()


def test_a_text_longer_than_is_read_can_be_removed(tmp_path: Path) -> None:
    with SearchIndex.open(tmp_path, write=True) as index:
        index.add([PAGE._replace(text="  ".join(f"word{n}" for n in range(30_000)))])
        index.remove([7])
    assert terms_left(tmp_path) == set()


def test_what_is_written_is_read_beside_the_writer_once_it_is_whole(tmp_path: Path) -> None:
    def failing() -> Iterator[IndexedPage]:
        yield PAGE._replace(url_id=8)
        raise SearchError("no more pages")

    with SearchIndex.open(tmp_path, write=True) as index:
        index.add([PAGE])
        with SearchIndex.open(tmp_path) as reader:
            assert urls(tmp_path, "comets") == [PAGE.url]
            with pytest.raises(SearchError):
                index.add(failing())
            assert search(tmp_path, "comets").pages == 1
            index.remove([7])
            assert search(tmp_path, "comets").pages == 0
            assert len(reader) == len(reader.pages([7])) == 1  # a reader sees one moment


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    with (
        SearchIndex.open(tmp_path, write=True),
        pytest.raises(SearchError, match="another process"),
    ):
        SearchIndex.open(tmp_path, write=True)
    SearchIndex.open(tmp_path, write=True).close()


FULL_DISK = """
import resource, signal
from pathlib import Path
from frontier.errors import SearchError
from frontier.search import IndexedPage, SearchIndex
with SearchIndex.open(Path({directory!r}), write=True) as index:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))
    text = " ".join(f"w{{n}}" for n in range(3000))
    try:
        index.add([IndexedPage(n, "http://b.example/", "", text) for n in range(9)])
    except SearchError as error:
        print(error)
"""
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
        assert len(index) == len(set(index.ids().tolist())) == report.pages
    assert urls(tmp_path, "changed") == ["http://a.example/3"]
    assert urls(tmp_path, "page3") == []


def test_a_full_disk_is_no_damage_and_what_was_committed_stays(tmp_path: Path) -> None:
    with SearchIndex.open(tmp_path, write=True) as index:
        index.add([PAGE])
    code = FULL_DISK.format(directory=str(tmp_path))
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "cannot be used now" in ran.stdout
    assert urls(tmp_path, "comets") == [PAGE.url]


def test_many_commits_are_merged_and_nothing_is_lost(tmp_path: Path) -> None:
    with SearchIndex.open(tmp_path, write=True) as index:
        for n in range(60):
            index.add([IndexedPage(n, f"http://a.example/{n}", f"title{n}", "")])
    with SearchIndex.open(tmp_path) as index:
        assert index._searcher.num_segments < 30
        assert {len(index), len(index.pages(range(60)))} == {60}
    assert urls(tmp_path, "title41") == ["http://a.example/41"]


def test_no_crawl_and_no_index_are_two_errors(tmp_path: Path) -> None:
    with pytest.raises(StoreMissingError):
        search(tmp_path, "comets")
    (tmp_path / "frontier.sqlite").touch()
    with pytest.raises(SearchError, match=r"scrapy frontier index .* --warc"):
        search(tmp_path, "comets")
    assert not (tmp_path / FOLDER).exists()


@pytest.mark.parametrize("write", [False, True])
def test_an_index_of_another_version_and_a_damaged_one_are_refused(
    tmp_path: Path, write: bool
) -> None:
    SearchIndex.open(tmp_path, write=True).close()
    about = tmp_path / FOLDER / "about.json"
    about.write_text(json.dumps({"version": SCHEMA_VERSION + 1}))
    with pytest.raises(
        SearchError, match=f"version {SCHEMA_VERSION}.* version {SCHEMA_VERSION + 1}"
    ):
        SearchIndex.open(tmp_path, write=write)
    about.write_text("no object")
    with pytest.raises(SearchError, match="damaged"):
        SearchIndex.open(tmp_path, write=write)
    about.write_text(json.dumps({"version": SCHEMA_VERSION}))
    (tmp_path / FOLDER / "meta.json").write_text("{}")
    with pytest.raises(SearchError, match="damaged"):
        SearchIndex.open(tmp_path, write=write)


def test_terms_are_those_that_the_version_was_made_with() -> None:
    """Queries meet pages that were indexed long ago: who changes these raises SCHEMA_VERSION."""
    text = (
        "Stars' galaxies; RUNNING 2 the Straße é́ 東京都庁 กินข้าว 한국어는 हिन्दी under_score a\ud800b"
    )
    said = IndexedPage(1, "http://a.example/b?c=d", "A title", text).terms().values()
    terms = "|".join(f"{stems(one)} {with_letters(one)}" for one in said)
    assert (SCHEMA_VERSION, blake2b(terms.encode(), digest_size=8).hexdigest()) == (
        2,
        "f7c55956fd01360e",
    )


def test_words_of_a_url_are_those_of_host_path_and_query() -> None:
    assert term_list(url_words("https://www.Stars.example/dark%20matter/a_b.html?q=caf%C3%A9")) == [
        *("stars", "example", "dark", "matter", "a", "b", "html", "q", "café"),
    ]
    assert term_list(url_words("http://[broken")) == []
