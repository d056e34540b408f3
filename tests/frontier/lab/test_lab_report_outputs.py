from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from lxml import etree, html

from frontier.errors import LabError
from frontier.lab.protocol.planning import Protocol
from frontier.lab.replay.records import GREEDY_ORACLE, TRUE_LABEL
from frontier.lab.report.charts import HARVEST, RECALL, curve_of, pictures, styles_of
from frontier.lab.report.drawing import decades, rounded_up, spread, ticks
from frontier.lab.report.metrics import scored
from frontier.lab.report.page import page
from frontier.lab.report.regret import Regret
from frontier.lab.report.report import LabReport, WebNote, entries_of, make_report
from frontier.lab.report.tables import chance, markdown_report, text_report, tsv_report
from frontier.lab.report.writing import FORMAT, VERSION, results_text, write_report
from ranking.orders import ORDERS
from tests.frontier.lab.lab_runs import record
from tests.support.told import tells

ROWS = {GREEDY_ORACLE: "hh", TRUE_LABEL: "hph", "ppr": "ph", "bfs": "pnpfh", "frontera-lifo": "pp"}
TOPICS = ("birds", "<b>ships</b>", "ants & bees")
PEERS = {"frontera-lifo": "Frontera's last in, first out"}


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
    lost = {"politeness": 1.0, "batching": 0.5, "staleness": 0.25, "together": -0.25}
    regret = Regret("small", "inside", "ppr", 3, 2.0, 0.5, lost)
    given = {
        "records": runs,
        "protocol": Protocol(tuple(rows), ("inside",), budget=200, draws=1, part="all"),
        "webs": [web],
        "entries": entries_of(rows, PEERS),
        "reference": "ppr",
        "regrets": [regret],
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
    assert len(said["runs"]) == 15
    run = next(one for one in said["runs"] if one["strategy"] == "bfs")
    assert (run["hits"], run["absent"], run["failed"], run["targets"]) == ([5], [2], 1, 2)
    assert run["figures"]["recall"] == 0.5
    assert [row["strategy"] for row in said["summary"]] == list(ROWS)
    bfs = next(row for row in said["summary"] if row["strategy"] == "bfs")
    assert bfs["figures"]["recall"] == {"mean": 0.5, "sd": 0.0, "median": 0.5, "n": 3}
    assert bfs["against_reference"]["nauc"]["p"] == 0.25
    assert said["regret"][0]["lost"]["politeness"] == 1.0


def test_the_same_runs_give_the_same_bytes() -> None:
    assert results_text(report_of()) == results_text(report_of())
    assert page(report_of()) == page(report_of())


def test_the_text_names_webs_topics_budget_and_what_was_left_out() -> None:
    text = "\n".join(text_report(report_of()))
    assert tells(text, 200, 1, 15)
    assert tells(text, "small", 17, 2, 1)
    assert tells(text, "inside", 1, 5)
    assert tells(text, "http://gone.example/")
    assert tells(text, "line 3", "tab")
    assert "a note on the run" in text
    assert f"{GREEDY_ORACLE} (sees labels)" in text
    assert f"{TRUE_LABEL} (sees labels)" in text
    assert "frontera-lifo (other code)" in text


def test_rows_stand_in_the_order_of_their_worth() -> None:
    report = report_of()
    (setting,) = report.settings
    order = [row.strategy for row in report.table(setting)]
    assert order == [GREEDY_ORACLE, TRUE_LABEL, "ppr", "bfs", "frontera-lifo"]


def test_means_over_some_of_the_topics_are_marked() -> None:
    runs = [
        record("h", name, topic, targets=targets, budget=10)
        for topic, targets in {"few": 4, "many": 6}.items()
        for name in (GREEDY_ORACLE, "ppr")
    ]
    report = report_of(records=runs)
    (row,) = [line for line in text_report(report) if line.startswith("ppr ")][:1]
    # Eight requests are twice four, but not twice six.
    assert "0.250*" in row.split()
    assert row.split()[5] == "0.208"


def test_a_run_whose_oracle_is_missing_is_told_and_the_others_are_shown() -> None:
    runs = [record("h", GREEDY_ORACLE), record("h", "ppr"), record("h", "ppr", "fish")]
    text = "\n".join(text_report(report_of(records=runs)))
    assert tells(text, "oracle", 1)
    assert tells(text, "small", "inside", 1)


def test_a_report_without_a_run_still_says_what_was_asked() -> None:
    report = report_of(records=[])
    assert "0 runs" in text_report(report)[0]
    assert "Lab run" in page(report)
    assert json.loads(results_text(report))["runs"] == []


def test_the_table_for_programs_has_a_line_a_row_and_all_figures() -> None:
    head, *lines = tsv_report(report_of()).splitlines()
    names = head.split("\t")
    assert names[:4] == ["web", "variant", "strategy", "kind"]
    assert {len(line.split("\t")) for line in lines} == {len(names)}
    bfs = dict(zip(names, lines[3].split("\t"), strict=True))
    assert (bfs["strategy"], bfs["kind"]) == ("bfs", "order")
    assert bfs["recall:mean"] == "0.5"
    assert bfs["harvest_500:mean"] == ""
    assert bfs["nauc-reference:n"] == "3"


def test_markdown_tables_have_as_many_cells_in_each_line() -> None:
    text = markdown_report(report_of())
    tables = [block.splitlines() for block in text.split("\n\n") if block.startswith("|")]
    assert len(tables) == 4
    for table in tables:
        assert len({line.count("|") for line in table}) == 1


def test_markdown_believes_no_name() -> None:
    web = WebNote("<i>web", 1, TOPICS, (), TOPICS, lost=("http://a.example/<script>",))
    text = markdown_report(report_of(webs=[web], notes=["a <note>"]))
    assert all(tag not in text for tag in ("<i>", "<script>", "<note>"))
    assert "http://a.example/&lt;script&gt;" in text


def test_the_page_is_one_file_that_asks_for_nothing_and_believes_no_name() -> None:
    text = page(report_of())
    tree = html.fromstring(text)
    assert tree.xpath("//script | //link | //img | //@src | //@href") == []
    assert "url(" not in text
    assert "@import" not in text
    assert tree.xpath("//b") == []
    assert "<b>ships</b>" in tree.text_content()
    assert len(tree.xpath("//figure/svg")) == 2
    assert len(tree.xpath("//figure[1]/svg//polyline")) == len(ROWS)
    for name in ROWS:
        assert tree.xpath(f"//dt[starts-with(text(), '{name}')]/following-sibling::dd[1]/text()")
    assert tree.xpath("//tr[@class='reference']/td[1]//text()") == ["ppr"] * 3


def test_colours_go_to_the_reference_the_best_and_bfs() -> None:
    names = [GREEDY_ORACLE, *list(ORDERS)[:12]]
    runs = [
        record("p" * n + "h", name, topic, targets=1, budget=40)
        for topic in ("a", "b")
        for n, name in enumerate(names)
    ]
    reference = names[5]
    styles = styles_of(report_of(records=runs, entries=entries_of(names), reference=reference))
    assert styles[GREEDY_ORACLE] == "best"
    assert styles[reference] == "c1"
    assert styles["bfs"] != "plain"
    coloured = [style for style in styles.values() if style.startswith("c")]
    assert sorted(coloured) == [f"c{n}" for n in range(1, 8)]


def test_every_order_has_its_own_words_and_what_sees_labels_or_is_not_ours_says_so() -> None:
    entries = entries_of([*ORDERS, GREEDY_ORACLE, TRUE_LABEL, "frontera-fifo", "scrapy"])
    kinds = {one.name: one.kind for one in entries}
    assert {kinds[name] for name in ORDERS} == {"order"}
    assert (kinds[GREEDY_ORACLE], kinds[TRUE_LABEL]) == ("bound", "bound")
    assert (kinds["frontera-fifo"], kinds["scrapy"]) == ("peer", "peer")
    assert all(one.words for one in entries)


def test_files_are_written_into_a_new_folder(tmp_path: Path) -> None:
    written = write_report(report_of(), tmp_path / "new" / "folder")
    assert [path.name for path in written] == [
        "results.json",
        "table.tsv",
        "table.md",
        "report.html",
        "small-inside-recall.svg",
        "small-inside-harvest.svg",
    ]
    assert sorted(path.name for path in (tmp_path / "new/folder").iterdir()) == sorted(
        path.name for path in written
    )


def test_a_folder_that_cannot_be_written_is_an_error_of_the_lab(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LabError, match="Name another one"):
        write_report(report_of(), tmp_path / "file")


def test_pictures_are_svg_files_of_their_own_two_a_table() -> None:
    report = report_of()
    files = pictures(report)
    assert list(files) == ["small-inside-recall.svg", "small-inside-harvest.svg"]
    for text in files.values():
        tree = etree.fromstring(text.encode())
        assert len(tree.xpath("//*[local-name()='polyline']")) == len(ROWS)
        assert len(tree.xpath("//*[@class='band']")) == 1  # of the reference
        assert "var(" not in text
        assert not tree.xpath("//*[local-name()='script'] | //@href")
    assert files == pictures(report_of())


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (1.0, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (1500.0, [0, 250, 500, 750, 1000, 1250, 1500]),
        (0.37, [0, 0.1, 0.2, 0.3]),
    ],
)
def test_ticks_are_round(end: float, expected: list[float]) -> None:
    assert ticks(end) == expected


def test_an_axis_ends_at_a_tick_above_what_it_shows() -> None:
    assert rounded_up(0.37) == 0.4
    assert rounded_up(1.0) == 1.0


def test_decades_lie_within_their_ends() -> None:
    assert decades(10, 1500) == [10, 20, 50, 100, 200, 500, 1000]
    assert decades(3, 4) == []


def test_names_at_the_ends_of_lines_are_moved_apart() -> None:
    assert spread([10, 11, 50], 0, 100, 5) == [10, 15, 50]
    assert spread([96, 97, 98], 0, 100, 5) == [90, 95, 100]
    assert spread([], 0, 100, 5) == []


def test_small_chances_are_not_written_as_nothing() -> None:
    assert (chance(0.0004), chance(0.0005), chance(1.0)) == ("<.001", "0.001", "1.000")


def test_curves_are_means_over_topics_with_the_middle_half() -> None:
    runs = []
    for n, topic in enumerate("abcdef"):
        runs += [record("h", GREEDY_ORACLE, topic, budget=20, targets=1)]
        runs += [record("p" * n + "h", "bfs", topic, budget=20, targets=1)]
    course = [run for run in scored(runs)[0] if run.key.strategy == "bfs"]
    recall = curve_of(course, RECALL)
    assert recall.at.tolist() == list(range(1, 21))
    assert recall.mean[:6] == pytest.approx([1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6, 1])
    assert recall.low[2] == 0
    assert recall.high[2] == 1
    harvest = curve_of(course, HARVEST)
    assert harvest.at[0] == 10
    assert harvest.mean[[0, -1]] == pytest.approx([0.1, 0.05])
