from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from frontier.errors import LabError
from frontier.lab.protocol.planning import Protocol
from frontier.lab.replay.records import GREEDY_ORACLE
from frontier.lab.report.report import (
    FORMAT,
    VERSION,
    LabReport,
    WebNote,
    kinds_of,
    make_report,
    results_text,
)
from frontier.lab.report.tables import page_data, text_report, write_report
from ranking.orders import ORDERS
from tests.frontier.lab.lab_runs import record
from tests.support.told import tells

ROWS = {GREEDY_ORACLE: "hh", "ppr": "ph", "bfs": "pnpfh", "other": "pp"}
TOPICS = ("birds", "<b>ships</b>", "ants & bees")


def report_of(rows: Mapping[str, str] = ROWS, **changes: object) -> LabReport:
    runs = [
        record(text, name, topic, targets=2, budget=200)
        for topic in TOPICS
        for name, text in rows.items()
    ]
    web = WebNote(
        "small",
        17,
        development=("birds", "ants & bees"),
        test=("<b>ships</b>", "unasked"),
        asked=TOPICS,
        dropped=("inside: 1 topic: fewer than 5 labelled pages can be reached (few)",),
        lost=("http://gone.example/",),
        bad=("line 3: no tab between URL and topic: 'x'",),
    )
    given = {
        "records": runs,
        "protocol": Protocol(tuple(rows), ("inside",), budget=200, draws=1, part="all"),
        "webs": [web],
        "kinds": kinds_of(rows),
        "reference": "ppr",
        "notes": ["a note on the run"],
    }
    return make_report(**(given | changes))  # type: ignore[arg-type]  # a test names what it changes


def test_results_hold_every_run_and_every_figure() -> None:
    said = json.loads(results_text(report_of()))
    assert (said["format"], said["version"]) == (FORMAT, VERSION)
    assert said["protocol"] == {
        "budget": 200,
        "draws": 1,
        "variants": ["inside"],
        "topics": "all",
        "reference": "ppr",
    }
    assert len(said["runs"]) == 12
    run = next(one for one in said["runs"] if one["strategy"] == "bfs")
    assert (run["hits"], run["absent"], run["failed"], run["targets"]) == ([5], [2], 1, 2)
    assert run["figures"]["recall"] == 0.5
    assert [row["strategy"] for row in said["summary"]] == list(ROWS)
    bfs = next(row for row in said["summary"] if row["strategy"] == "bfs")
    assert bfs["figures"]["recall"] == {"mean": 0.5, "sd": 0.0, "n": 3}
    assert bfs["against_reference"]["n"] == 3


def test_the_same_runs_give_the_same_bytes() -> None:
    assert results_text(report_of()) == results_text(report_of())


def test_the_text_names_webs_topics_budget_and_what_was_left_out() -> None:
    text = "\n".join(text_report(report_of()))
    assert tells(text, 200, 1, 12)
    assert tells(text, "small", 17, 2, 1)
    assert tells(text, "inside", 1, 5)
    assert tells(text, "http://gone.example/")
    assert tells(text, "line 3", "tab")
    assert "a note on the run" in text
    assert f"{GREEDY_ORACLE} (sees labels)" in text
    assert "other (other code)" in text


def test_what_sees_labels_or_is_not_ours_is_told_from_orders() -> None:
    kinds = kinds_of([*ORDERS, GREEDY_ORACLE, "a.Mine", "crawl4ai"])
    assert {kinds[name] for name in (*ORDERS, "a.Mine")} == {"order"}
    assert (kinds[GREEDY_ORACLE], kinds["crawl4ai"]) == ("bound", "peer")


def test_the_page_has_the_cells_of_the_table_and_the_mean_recall_by_requests(
    tmp_path: Path,
) -> None:
    report = report_of()
    (table,) = page_data(report)["tables"]
    lines = text_report(report)
    for row in (table["head"], *table["rows"]):
        assert any(all(cell in line for cell in row) for line in lines)
    curves = {one["strategy"]: one["recall"] for one in table["curves"]}
    assert list(curves) == [row.strategy for row in report.table(report.settings[0])]
    assert curves["bfs"][:4] == [0.0, 0.0, 0.0, 0.5]  # at 0, 2, 4 and 6 of 200 requests
    assert [one["strategy"] for one in table["curves"] if one["bound"]] == [GREEDY_ORACLE]
    assert write_report(report, tmp_path) == tmp_path / "results.json"
    assert '"recall":[0.0,' in (tmp_path / "results.html").read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_written_is_an_error_of_the_lab(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LabError, match="Name another one"):
        write_report(report_of(), tmp_path / "file")
