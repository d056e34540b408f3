from __future__ import annotations

from pathlib import Path

from benchmarks.harvest.overall import overall_row, overall_table, write_overall


def _row(name: str, values: dict[str, float], variant: str = "keywords") -> dict[str, object]:
    return {
        "variant": variant,
        "strategy": name,
        "figures": {
            figure: {"mean": sum(values.values()) / len(values), "n": len(values)}
            for figure in ("nauc", "harvest_100")
        },
        "topics": {topic: {"nauc": v, "harvest_100": v} for topic, v in values.items()},
    }


def _results(*rows: dict[str, object]) -> dict[str, object]:
    return {"protocol": {"reference": "apprentice"}, "summary": [*rows]}


def test_a_web_has_its_mean_interval_and_bfs() -> None:
    ours = _row("apprentice", {"a": 0.4, "b": 0.6})
    row = overall_row("docs", _results(ours, _row("bfs", {"a": 0.1, "b": 0.1})))
    half = ["0.500", "0.400", "0.600", "0.100"]
    assert row == ["docs", "2", *half, *half]


def test_one_topic_has_no_interval_and_a_row_may_be_missing() -> None:
    row = overall_row("docs", _results(_row("apprentice", {"a": 0.4})))
    assert row == ["docs", "1", *["0.400", "-", "-", "-"] * 2]
    assert overall_row("docs", _results(_row("apprentice", {"a": 0.4}, "inside"))) is None


def test_the_table_is_printed_and_written(tmp_path: Path) -> None:
    row = overall_row("docs", _results(_row("apprentice", {"a": 0.4, "b": 0.6})))
    assert row is not None
    assert overall_table([row]).splitlines()[1].split() == row
    write_overall(tmp_path / "x" / "overall.tsv", [row])
    lines = (tmp_path / "x" / "overall.tsv").read_text().splitlines()
    assert lines[1].split("\t") == row
