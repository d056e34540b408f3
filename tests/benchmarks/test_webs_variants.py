from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from scrapy.settings import Settings

from benchmarks.webs.command import main
from benchmarks.webs.variants import permalink
from benchmarks.webs.writing import Answer, Web, write_web
from frontier.lab.protocol.labels import read_labels
from frontier.lab.protocol.planning import Protocol, plan
from frontier.lab.replay.parsing import open_recording
from frontier.lab.replay.webfile import AnswerKind, WebFile
from frontier.plugin.recorded import parser_of
from frontier.web.recorded_web import RecordedWeb
from tests.support.webs import page_with, statuses

SITE = "http://a.example/"
PAGES = [f"{SITE}{number}" for number in range(300)]
SEED, LONELY = PAGES[0], f"{SITE}lonely"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("web")
    answers = [page_with(SITE, *PAGES), page_with(LONELY, SITE)]
    answers += [page_with(url, *PAGES[at : at + 20], text="bird ") for at, url in enumerate(PAGES)]
    answers.append(Answer(f"{SITE}gone", b"", 404))
    labels = [(url, "birds") for url in PAGES[1:]]
    write_web(Web("small", answers, labels, [SEED]), path)
    assert main(["variants", str(path / "small.warc.gz"), "--out", str(path)]) == 0
    return path


@contextmanager
def _opened(folder: Path, name: str) -> Iterator[WebFile]:
    recording = [folder / f"{name}.warc.gz"]
    with open_recording(recording, *parser_of(Settings()), folder / "cache") as web:
        yield web


def test_about_a_third_of_the_linked_pages_is_dead(folder: Path) -> None:
    before, after = (statuses(folder / f"{name}.warc.gz") for name in ("small", "small-dead"))
    dead = {url for url, status in after.items() if status != before[url]}
    assert before.keys() == after.keys()
    assert {after[url] for url in dead} == {404}
    assert 0.25 < len(dead) / len(PAGES) < 0.42
    assert not dead & {SITE, SEED, LONELY}


def test_closed_folders_are_gone_whole_and_the_others_stay(tmp_path: Path) -> None:
    pages = [f"{SITE}{folder}/{number}/" for folder in range(40) for number in range(3)]
    seed = pages[0]
    write_web(Web("wide", [page_with(SITE, *pages), *map(page_with, pages)], [], [seed]), tmp_path)
    whole = [str(tmp_path / "wide.warc.gz"), "--variant", "closed", "--out", str(tmp_path)]
    assert main(["variants", *whole]) == 0
    after = statuses(tmp_path / "wide-closed.warc.gz")
    assert after.keys() == {SITE, *pages}
    assert after[SITE] == after[seed] == 200
    of_folders = [{after[url] for url in pages[at : at + 3]} for at in range(3, len(pages), 3)]
    assert all(found in ({200}, {404}) for found in of_folders)
    assert 0.3 < sum(found == {404} for found in of_folders) / len(of_folders) < 0.7


def test_dead_labels_are_no_targets_of_the_lab(folder: Path) -> None:
    labels = read_labels(folder / "small-dead.topics.tsv")
    assert labels == read_labels(folder / "small.topics.tsv")
    with _opened(folder, "small-dead") as web:
        planned = plan(web, labels, Protocol(("bfs",), ("keywords",), 50, 1, seeds=(SEED,)))
        dead = {
            url for number, url in enumerate(web.urls) if web.kinds[number] == AnswerKind.FAILED
        }
    assert dead & {*PAGES}
    assert planned.tasks[0].targets
    assert not planned.tasks[0].targets & dead


def test_permalinks_lead_to_a_third_of_the_pages_and_the_lab_follows(folder: Path) -> None:
    web = RecordedWeb([folder / "small-redirects.warc.gz"])
    answers = {url: web.read(url) for url in web.urls()}
    through = {url: one for url, one in answers.items() if "/go/" in url}
    assert 0.25 < len(through) / len(PAGES) < 0.42
    assert {one.status for one in through.values()} == {301}
    assert all(permalink(dict(one.headers)["Location"]) == url for url, one in through.items())
    with _opened(folder, "small-redirects") as found:
        for url, one in through.items():
            assert found.urls[found.landing(found.find(url))] == dict(one.headers)["Location"]


def test_the_same_web_gives_the_same_bytes(folder: Path, tmp_path: Path) -> None:
    assert main(["variants", str(folder / "small.warc.gz"), "--out", str(tmp_path)]) == 0
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (folder / path.name).read_bytes()
    about = json.loads((tmp_path / "small-dead.json").read_text())
    assert (about["variant"], about["of"]["name"]) == ("dead", "small")
    assert {path.name for path in tmp_path.iterdir()} >= {
        "small-dead.seeds.txt",
        "small-redirects.topics.tsv",
    }
