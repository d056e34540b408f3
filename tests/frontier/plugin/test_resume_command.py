"""What is printed to resume a crawl keeps its results, and shows no password."""

from __future__ import annotations

import csv
import json
import shlex
import sys
from pathlib import Path

import pytest
from scrapy.cmdline import ScrapyArgumentParser
from scrapy.commands import crawl
from scrapy.settings import Settings

from frontier.plugin.resume_command import command_line, how_to_resume
from tests.support.kept import site_of
from tests.support.scrapy_runs import ADDONS, QUICK, scrapy
from tests.support.sites import serving


def resumed(
    monkeypatch: pytest.MonkeyPatch,
    typed: str,
    feeds: dict[object, object] | None = None,
    **settings: object,
) -> tuple[list[str], str]:
    """The words of the command for what was typed, and the notes; FEEDS as Scrapy makes them."""
    words = shlex.split(typed)
    command = crawl.Command()
    command.settings = Settings({"FEEDS": feeds or {}, **settings})
    parser = ScrapyArgumentParser(conflict_handler="resolve")
    command.add_options(parser)
    behind = words.index("crawl") if "crawl" in words else len(words)
    options, rest = parser.parse_known_args(words[behind:])
    command.process_options(rest, options)
    monkeypatch.setattr(sys, "orig_argv", words)
    printed, notes = how_to_resume(command.settings)
    return shlex.split(printed), " ".join(notes)


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("-O p.jsonl", "-o p.jsonl"),
        ("-O p.csv -O q:jl", "-o p.csv -o q:jl"),
        ("-Op.jsonl", "-op.jsonl"),
        ("-O=p.jsonl", "-o=p.jsonl"),
        ("--overwrite-output p.jsonl", "--output p.jsonl"),
        ("--overwrite-output=p.jsonl", "--output=p.jsonl"),
        ("--overw=p.jsonl", "--output=p.jsonl"),
        ("-o p.jsonl", "-o p.jsonl"),
        ("-O -:jsonlines", "-o -:jsonlines"),
        ("-O 'a b/é $x.jsonl' -a 't=two \"words\"'", "-o 'a b/é $x.jsonl' -a 't=two \"words\"'"),
        ("-O '%(time)s.json'", "-o '%(time)s.json'"),
        # One document cannot be appended to another; nor is anything in a bucket.
        ("-O p.json", "-o p.part2.json"),
        ("-o p.json", "-o p.part2.json"),
        ("-O p.part2.xml", "-o p.part3.xml"),
        ("-O there.json", "-o there.part3.json"),
        ("-O p:json", "-o p.part2:json"),
        ("-O s3://bucket/p.jsonl", "-o s3://bucket/p.part2.jsonl"),
        # Of others.
        ("-a O=-O -s X=-O", "-a O=-O -s X=-O"),
    ],
)
def test_output_options_keep_what_is_there(
    typed: str, printed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.part2.json").touch()
    start = "python -O -m scrapy crawl x"
    command, notes = resumed(monkeypatch, f"{start} {typed}")
    assert command == shlex.split(f"{start} {printed}")
    assert ("cannot be appended to" in notes) == (".part" in printed)


class Klass:
    """What FEEDS may hold and no command line can."""


JSONL = {"format": "jsonlines", "overwrite": True, "fields": ["url"]}


@pytest.mark.parametrize(
    ("feeds", "kept"),
    [
        ({"p.jsonl": JSONL}, {"p.jsonl": {**JSONL, "overwrite": False}}),
        (
            {Path("p.csv"): {"format": "csv", "overwrite": True}},
            {"p.csv": {"format": "csv", "overwrite": False}},
        ),
        ({"p.json": {"format": "json"}}, {"p.part2.json": {"format": "json"}}),
        ({"p.jsonl": {"format": "jsonlines"}}, None),
        ({"stdout:": {"format": "json"}}, None),
    ],
)
def test_feeds_of_the_settings_are_kept_too(
    feeds: dict[object, object],
    kept: dict[str, object] | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    start = ["python", "-m", "scrapy", "crawl", "x"]
    command, _ = resumed(monkeypatch, shlex.join(start), feeds)
    if kept is None:
        assert command == start
        return
    assert command[:-2] == start
    assert (command[-2], json.loads(command[-1].removeprefix("FEEDS="))) == ("-s", kept)
    command, _ = resumed(monkeypatch, f"{shlex.join(start)} -O q.jl", feeds)
    assert command[-4:-2] == ["-o", "q.jl"]
    assert json.loads(command[-1].removeprefix("FEEDS=")) == kept


@pytest.mark.parametrize(
    ("typed", "feeds", "settings"),
    [
        ("python run.py -O 3", {"p.jsonl": JSONL}, {}),
        ("scrapy crawl x", {"p.jsonl": {**JSONL, "item_classes": [Klass]}}, {}),
        ("scrapy crawl x", {"p.jsonl": JSONL}, {"FRONTIER_RESUME_COMMAND": "make again"}),
    ],
)
def test_where_no_command_can_keep_them_it_says_what_to_do_before(
    typed: str,
    feeds: dict[object, object],
    settings: dict[str, object],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    command, notes = resumed(monkeypatch, typed, feeds, **settings)
    assert command == shlex.split(str(settings.get("FRONTIER_RESUME_COMMAND", typed)))
    assert "p.jsonl" in notes
    assert "'overwrite': False" in notes


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        (
            "FRONTIER_EXCHANGE=postgresql://u:pa@ss@db/x",
            "FRONTIER_EXCHANGE=postgresql://u:***@db/x",
        ),
        ("FRONTIER_EXCHANGE=postgresql://u@db/x", "FRONTIER_EXCHANGE=postgresql://u@db/x"),
        (
            "FRONTIER_EXCHANGE=host=db password='a b' user=u",
            "FRONTIER_EXCHANGE=host=db password=*** user=u",
        ),
        (
            "seeds=http://a.example:80/@x,http://u:p/w@b/",
            "seeds=http://a.example:80/@x,http://u:***@b/",
        ),
        ("http_pass=a", "http_pass=***"),
        ("AWS_SECRET_ACCESS_KEY=a", "AWS_SECRET_ACCESS_KEY=***"),
        ("--set=FTP_PASSWORD=a", "--set=FTP_PASSWORD=***"),
        ("passages=key words", "passages=key words"),
        ("keywords=key", "keywords=key"),
    ],
)
def test_what_is_secret_is_not_printed(typed: str, printed: str) -> None:
    assert shlex.split(command_line(["python", "run.py", typed]))[2:] == [printed]


SPIDER = """
import scrapy

class S(scrapy.Spider):
    name = "s"
    start_urls = ["{root}/0"]

    def parse(self, response):
        page = response.url.rpartition("/")[2]
        yield {{"page": page, "note": f"{{page}}, \\"quoted\\""}}
        yield from response.follow_all(css="a")
"""


FEEDS = 'FEEDS={"p.csv": {"format": "csv", "overwrite": true, "fields": ["page"]}}'


def items(path: Path) -> list[dict[str, str]]:
    text = path.read_text()
    if path.suffix == ".csv":
        return list(csv.DictReader(text.splitlines()))
    return json.loads(text if path.suffix == ".json" else f"[{','.join(text.splitlines())}]")


@pytest.mark.parametrize(
    "given", [("-O", "p.jsonl"), ("-O", "p.csv"), ("-O", "p.json"), ("-s", FEEDS)]
)
def test_who_follows_the_printed_command_has_all_items(
    given: tuple[str, ...], tmp_path: Path
) -> None:
    with serving(site_of(12)) as site:
        (tmp_path / "s.py").write_text(SPIDER.format(root=site.url))
        job = f"JOBDIR={tmp_path / 'job'}"
        options = (*QUICK, ADDONS, job, "CLOSESPIDER_PAGECOUNT=4", "CONCURRENT_REQUESTS=1")
        words = ["runspider", "s.py", *given, *(part for one in options for part in ("-s", one))]
        runs = 0
        while words and runs < 6:
            log = scrapy(*words, cwd=tmp_path).stderr
            runs += 1
            again = log.partition("to go on, run again: ")[2].partition("\n")[0]
            words = shlex.split(again)[3:]
    # Scrapy asks once more for a start page to which its spider finds a link.
    assert len(site.paths) == 13
    assert 1 < runs < 6
    found = [int(one["page"]) for path in tmp_path.glob("p*") for one in items(path)]
    assert sorted(found) == [0, *range(12)]
