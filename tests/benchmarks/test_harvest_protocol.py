from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from scrapy.settings import Settings

from benchmarks.harvest.protocol import command, judged
from benchmarks.harvest.webs import DOCS, WEBS, WIKISPEEDIA, Judged
from frontier.plugin.commands.lab import Command as LabCommand

FOLDER = Path("/webs")


def _given(**changes: object) -> argparse.Namespace:
    given = {
        "webs": [FOLDER],
        "out": Path("/out"),
        "part": "test",
        "strategies": "all",
        "variant": None,
        "budget": None,
        "limit": None,
        "draws": 3,
        "jobs": None,
    }
    return argparse.Namespace(**(given | changes))


@pytest.mark.parametrize("web", WEBS, ids=lambda web: web.name)
def test_the_protocol_is_a_command_line_that_the_lab_understands(web: Judged) -> None:
    words = command(web, FOLDER, _given())
    assert words[1:4] == ["-m", "scrapy", "lab"]
    lab = LabCommand()
    lab.settings = Settings()
    read = lab.parser().parse_args(list(words[4:]))
    assert read.action.name == "run"
    assert (read.budget, read.draws, read.split) == (web.budget, 3, "test")


def test_a_web_has_harder_forms_that_promise_nothing_and_are_asked_the_same() -> None:
    by_name = {web.name: web for web in WEBS}
    assert len(by_name) == len(WEBS) == 18
    assert "shop-closed" not in by_name  # of three folders
    for ending in ("dead", "closed", "redirects"):
        harder = by_name[f"docs-{ending}"]
        words = " ".join(command(harder, FOLDER, _given()))
        assert f"/webs/docs-{ending}.warc.gz --topics /webs/docs-{ending}.subjects.tsv" in words
        assert f"--seeds /webs/docs-{ending}.seeds.txt" in words
        assert (harder.targets, harder.rivals, harder.limits) == ({"names": {}}, (), DOCS.limits)
        assert judged(harder, _results(-0.3, 12)) == []


def _results(difference: float, topics: int) -> dict[str, object]:
    figures = {name: {"mean": 0.6} for name in ("nauc", "recall_2t", "harvest_100")}
    against = {
        "mean": difference,
        "low": difference - 0.1,
        "high": difference + 0.1,
        "n": topics,
    }
    rows = [("inside", "apprentice", None), ("inside", "bfs", against)]
    return {
        "protocol": {"reference": "apprentice"},
        "summary": [
            {"variant": variant, "strategy": name, "figures": figures, "against_reference": said}
            for variant, name, said in rows
        ],
    }


def test_figures_stand_beside_their_targets() -> None:
    found = {one.what: one for one in judged(WIKISPEEDIA, _results(-0.3, 12))}
    assert found["wikispeedia, inside: nauc"].met is False
    assert found["wikispeedia, inside: recall_2t"].met is True
    assert found["wikispeedia, inside: lead over bfs, at least"].ours == pytest.approx(0.2)


def test_a_rival_that_leads_is_not_beaten_however_sure_that_is() -> None:
    found = {one.what: one for one in judged(WIKISPEEDIA, _results(0.3, 12))}
    assert found["wikispeedia, inside: lead over bfs, at least"].met is False
