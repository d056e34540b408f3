from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from scrapy.settings import Settings

from benchmarks.harvest import costing
from benchmarks.harvest.cost import _figures
from benchmarks.harvest.protocol import WEBS, command, judged
from frontier.plugin.commands.lab import Command as LabCommand

WIKISPEEDIA, DOCS = WEBS


def _given(**changes: object) -> argparse.Namespace:
    given = {
        "webs": Path("/webs"),
        "out": Path("/out"),
        "part": "test",
        "strategies": "all",
        "budget": 1500,
        "draws": 3,
        "jobs": None,
    }
    return argparse.Namespace(**(given | changes))


@pytest.mark.parametrize("web", WEBS, ids=lambda web: web.name)
def test_the_protocol_is_a_command_line_that_the_lab_understands(web: object) -> None:
    words = command(web, _given())  # type: ignore[arg-type]  # one of WEBS
    assert words[1:4] == ["-m", "benchmarks.harvest.lab", "run"]
    lab, parser = LabCommand(), argparse.ArgumentParser()
    lab.settings = Settings()
    lab.add_options(parser)
    parser.add_argument("operands", nargs="*")
    read = parser.parse_args(words[3:])
    assert read.operands[0] == "run"
    assert (read.budget, read.draws, read.split) == (1500, 3, "test")


def test_wikispeedia_is_asked_for_topics_of_its_size_in_three_variants() -> None:
    words = " ".join(command(WIKISPEEDIA, _given()))
    assert "--min-pages 40 --max-pages 200 --variant inside,outside,keywords" in words
    assert "--split test --limit 12" in words
    assert "--limit 10" in " ".join(command(WIKISPEEDIA, _given(part="development")))


def test_docs_is_asked_from_its_own_seeds_with_the_keywords_of_a_person() -> None:
    words = command(DOCS, _given(webs=Path("/elsewhere")))
    assert words[words.index("--seeds") + 1] == "/elsewhere/docs.seeds.txt"
    assert Path(words[words.index("--keywords") + 1]).is_file()
    assert words[words.index("--variant") + 1] == "keywords"


def _results(difference: float, topics: int) -> dict[str, object]:
    figures = {name: {"mean": 0.6} for name in ("nauc", "recall_2t", "harvest_100")}
    against = {
        "nauc": {
            "mean": difference,
            "low": difference - 0.1,
            "high": difference + 0.1,
            "p": 0.01,
            "n": topics,
        }
    }
    rows = [("inside", "apprentice", {}), ("inside", "bfs", against)]
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
    assert found["wikispeedia, inside: lead over bfs, p"].met is True


def test_a_rival_that_leads_is_not_beaten_however_sure_that_is() -> None:
    found = {one.what: one for one in judged(WIKISPEEDIA, _results(0.3, 12))}
    assert found["wikispeedia, inside: lead over bfs, at least"].met is False
    assert found["wikispeedia, inside: lead over bfs, p"].met is False


def test_with_five_topics_there_is_no_p_to_reach() -> None:
    whats = [one.what for one in judged(WIKISPEEDIA, _results(-0.3, 5))]
    assert not [what for what in whats if what.endswith(", p")]


def test_the_cost_of_a_page_is_the_sum_of_its_steps() -> None:
    small = {"text": 1.0, "judging": 0.5, "ordering": 0.4, "reranks": 0.1, "parsing": 9.0}
    small |= {"links": 20.0, "peak": 100.0}
    large = {**small, "ordering": 3.4}
    found = {one.what: one for one in _figures(100_000, large, small)}
    whole = found["all of that at 100,000 URLs"]
    assert (whole.ours, whole.met) == (pytest.approx(5.0), True)
    assert found["growth at 100,000 URLs"].ours == pytest.approx(2.5)
    assert found["text extraction, share at 100,000 URLs"].ours == pytest.approx(0.2)
    assert found["ordering, with the commit at 100,000 URLs"].ratio == pytest.approx(8.5)


@pytest.mark.slow
def test_every_step_of_a_page_is_measured(tmp_path: Path) -> None:
    found = costing.run(300, 20, "bfs", tmp_path / "job", costing.generated())
    assert found["urls"] > 300
    assert found["links"] == 20
    assert {"parsing", "text", "judging", "ordering"} < found.keys()
    assert min(found.values()) >= 0
