"""Texts and the store side by side: what is kept, and what a kill or a full budget leaves."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from frontier.errors import StoreError
from frontier.records import Lease
from frontier.states import State
from frontier.store import Store, StoreReader
from frontier.texts import ALL, StoredText, TextReader
from frontier.texts.file import FILE_NAME
from tests.support.driven_crawl import DrivenCrawl, Page

ROOT = "http://a.example/"
URLS = [f"http://a.example/{n}" for n in range(40)]


class TextCrawl(DrivenCrawl):
    """A crawl of pages whose texts are kept; `web` may change meanwhile."""

    def __init__(self, directory: Path | None, web: dict[str, Page], **config: Any) -> None:
        config = {"strategy": "bfs", "text": ALL, **config}
        super().__init__(directory, web, **config)

    def more_of(self, lease: Lease) -> dict[str, Any]:
        text = self.web[lease.url].text
        return {"kept": None if text is None else StoredText(lease.url, text).packed()}

    def fetch(self, *urls: str) -> None:
        """Fetch these again, whatever was fetched before, and commit."""
        for url in urls:
            self.ask(url, again=True)
        self.run()
        self.backend.commit()


def web_of(text: str) -> dict[str, Page]:
    return {url: Page(text=f"{text} {url}") for url in URLS}


def texts(directory: Path) -> dict[str, str]:
    """Text of each page that has one, by its URL."""
    reader = TextReader.open(directory)
    assert reader is not None
    with reader, StoreReader.open(directory) as store:
        ids = range(store.count_urls())
        rows = {url_id: store.page_row(url_id) for url_id in ids}
        given = reader.texts_of(ids)
        assert all(given[url_id][0] == getattr(rows[url_id], "hash", 0) for url_id in given)
        numbered = reader.after(0, 10**6)
        assert {one.url_id: one.text for one in numbered} == {
            url_id: text for url_id, (_, text) in given.items()
        }
        assert [one.number for one in numbered] == sorted(one.number for one in numbered)
        return {text.title: text.text for _, text in given.values()}


def rows(directory: Path) -> int:
    """Texts in the file, whether they are shown or not."""
    with closing(sqlite3.connect(directory / FILE_NAME)) as connection:
        return int(connection.execute("SELECT count(*) FROM texts").fetchone()[0])


def test_pages_have_their_texts_and_nothing_else_has_any(tmp_path: Path) -> None:
    web = {ROOT: Page(dict.fromkeys([*URLS[:4]], 0.5), text="root"), **web_of("text of")}
    web[URLS[1]] = Page(redirect=URLS[5])
    web[URLS[2]] = Page(error="HTTP 404", status=404, state=State.ERROR, text="not there")
    web[URLS[3]] = Page()
    crawl = TextCrawl(tmp_path, web)
    crawl.seed(ROOT)
    crawl.run()
    assert set(texts(tmp_path)) == {ROOT, URLS[0], URLS[5]}, "beside the crawl"
    crawl.close()
    assert texts(tmp_path) == {
        ROOT: "root", URLS[0]: f"text of {URLS[0]}", URLS[5]: f"text of {URLS[5]}"
    }  # fmt: skip


def test_a_changed_page_has_its_new_text_alone_and_a_page_that_went_none(tmp_path: Path) -> None:
    crawl = TextCrawl(tmp_path, web_of("first"))
    crawl.fetch(*URLS[:3])
    crawl.web = web_of("second")
    crawl.web[URLS[1]] = Page(error="gone: HTTP 410, twice", status=410, state=State.ERROR)
    crawl.web[URLS[2]] = Page()
    crawl.fetch(*URLS[:3])
    assert texts(tmp_path) == {URLS[0]: f"second {URLS[0]}"}
    crawl.close()
    assert texts(tmp_path) == {URLS[0]: f"second {URLS[0]}"}
    assert rows(tmp_path) == 1, "what asks not to be kept, or went, is in no file"


def test_a_page_that_fails_later_keeps_its_text(tmp_path: Path) -> None:
    crawl = TextCrawl(tmp_path, web_of("first"))
    crawl.fetch(*URLS[:2])
    crawl.web[URLS[0]] = Page(error="HTTP 503", status=503, state=State.ERROR)
    crawl.fetch(URLS[0])
    crawl.close()
    with TextReader.open(tmp_path) as reader, StoreReader.open(tmp_path) as store:  # type: ignore[union-attr]
        given = reader.texts_of(range(store.count_urls()))
    assert {page.text for _, page in given.values()} == {f"first {url}" for url in URLS[:2]}


def test_killed_between_the_two_commits_each_row_has_its_text_and_no_other_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job, killed = tmp_path / "job", tmp_path / "killed"
    crawl = TextCrawl(job, web_of("first"))
    crawl.fetch(*URLS[:2])
    write = Store._write

    def copied(store: Store, batches: Any) -> None:
        shutil.rmtree(killed, ignore_errors=True)
        shutil.copytree(job, killed)  # what a process leaves that is killed here
        write(store, batches)

    monkeypatch.setattr(Store, "_write", copied)
    crawl.web = web_of("second")
    leases = []
    for url in (URLS[1], URLS[2]):
        crawl.ask(url, again=True)
        leases += crawl.take(1)
    for lease in leases:
        crawl.answer(lease)
    crawl.backend.commit()
    monkeypatch.undo()
    crawl.close()
    assert rows(killed) == 4
    before = {url: f"first {url}" for url in URLS[:2]}
    assert texts(killed) == before
    again = TextCrawl(killed, web_of("third"))
    assert texts(killed) == before
    again.run()
    again.close()
    assert texts(killed) == {
        URLS[0]: f"first {URLS[0]}", URLS[1]: f"third {URLS[1]}", URLS[2]: f"third {URLS[2]}"
    }  # fmt: skip
    assert rows(killed) == 3


def test_a_run_that_keeps_no_texts_leaves_none_that_is_out_of_date(tmp_path: Path) -> None:
    first = TextCrawl(tmp_path, web_of("first"))
    first.fetch(*URLS[:2])
    first.close()
    second = TextCrawl(tmp_path, web_of("second"), text="off")
    second.fetch(URLS[0])
    second.close()
    assert texts(tmp_path) == {URLS[1]: f"first {URLS[1]}"}


def test_beyond_the_budget_the_oldest_go_first(tmp_path: Path) -> None:
    chance = random.Random(1)
    web = {url: Page(text="".join(chance.choices("abcdefghij ", k=100_000))) for url in URLS}
    crawl = TextCrawl(tmp_path, web, text_mb=1)
    for url in URLS:
        crawl.fetch(url)
    assert crawl.backend.texts is not None
    kept, dropped = crawl.backend.texts.kept, crawl.backend.texts.dropped
    crawl.close()
    left = list(texts(tmp_path))
    assert left == URLS[-len(left) :]
    assert (kept, kept - dropped) == (len(URLS), len(left))
    assert 0 < dropped < len(URLS)


def test_without_a_directory_nothing_is_kept() -> None:
    crawl = TextCrawl(None, web_of("text"))
    crawl.fetch(URLS[0])
    directory = crawl.backend.directory
    assert not (directory / FILE_NAME).exists()
    crawl.close()


def test_a_file_that_is_none_is_refused_and_says_what_to_do(tmp_path: Path) -> None:
    TextCrawl(tmp_path, {}).close()
    (tmp_path / FILE_NAME).write_bytes(b"no texts" * 1000)
    with pytest.raises(StoreError, match="remove it: the crawl is whole without it"):
        TextCrawl(tmp_path, {})
    with pytest.raises(StoreError, match="remove it"):
        TextReader.open(tmp_path)
    (tmp_path / FILE_NAME).unlink()
    assert TextReader.open(tmp_path) is None
    TextCrawl(tmp_path, {}).close()
