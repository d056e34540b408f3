"""`scrapy frontier report`: crawls as one file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from scrapy.settings import Settings

from frontier.errors import StoreMissingError
from frontier.plugin.commands.actions.report import report
from frontier.plugin.commands.frontier import Command
from frontier.watch import report as reports
from frontier.watch.picture import Pictures
from frontier.watch.report import write_report
from ranking.errors import OfflineInputError
from tests.support.told import tells
from tests.support.watched import A, B, small_watched_crawl


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("small")
    small_watched_crawl(directory).close()
    return directory


@pytest.fixture
def job(small: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(small, tmp_path / "a job"))


def documents_of(path: Path) -> list[dict[str, Any]]:
    _, _, rest = path.read_text(encoding="utf-8").partition('id="data">')
    found: list[dict[str, Any]] = json.loads(rest.partition("</script>")[0])["documents"]
    return found


def command(*arguments: object) -> int:
    """Run `scrapy frontier` in this process; returns its exit code."""
    import argparse

    one = Command()
    one.settings = Settings()
    parser = argparse.ArgumentParser(conflict_handler="resolve")
    one.add_options(parser)
    opts, args = parser.parse_known_args([str(word) for word in arguments])
    one.process_options(args, opts)
    one.run([], opts)
    return one.exitcode


def test_it_lies_beside_the_crawl_and_holds_its_picture_its_map_and_pages_explained(
    job: Path,
) -> None:
    path = write_report([job])
    assert path == job / "crawl.html"
    (document,) = documents_of(path)
    with Pictures(job) as pictures:
        picture, found = pictures.picture(), pictures.map()
    for name in ("numbers", "curve", "latest", "topic"):
        assert document[name] == picture[name]
    assert document["map"] == found
    assert {A, B} <= set(document["urls"])
    assert document["urls"][B]["carriers"][0]["url"] == A
    assert [one.name for one in job.glob("*html*")] == ["crawl.html"]


def test_it_needs_no_room_for_more_than_can_be_explained_in_time(
    job: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, "SECONDS", -1.0)
    (document,) = documents_of(write_report([job]))
    assert document["urls"] == {}
    assert document["numbers"]["pages"] == 3


def test_several_crawls_are_in_one_file_where_the_command_line_says(
    job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = shutil.copytree(job, tmp_path / "other")
    out = tmp_path / "both.html"
    assert command("report", job, other, "-o", out) == 0
    assert capsys.readouterr().out == f"Wrote {out}\n"
    assert [one["directory"] for one in documents_of(out)] == [str(job), str(other)]
    assert not (job / "crawl.html").exists()
    assert command("report", job, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(job / "crawl.html")}
    assert report.name == "report"


def test_no_crawl_and_no_place_to_write_are_errors_that_leave_nothing_behind(
    job: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(StoreMissingError):
        write_report([tmp_path])
    with pytest.raises(OfflineInputError):
        write_report([job], tmp_path / "nowhere" / "crawl.html")
    assert command("report", job, tmp_path / "nothing") == 1
    assert tells(capsys.readouterr().err, tmp_path / "nothing")
    assert not (job / "crawl.html").exists()
