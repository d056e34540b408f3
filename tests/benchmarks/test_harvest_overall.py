from __future__ import annotations

from benchmarks.harvest.overall import overall_rows, overall_tables


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


def test_every_order_has_its_mean_and_interval_and_the_reference_is_the_first() -> None:
    ours, bfs = _row("apprentice", {"a": 0.4, "b": 0.6}), _row("bfs", {"a": 0.1, "b": 0.1})
    first, second = overall_rows("docs", _results(bfs, ours))
    assert first[:4] == ("docs", "keywords", "apprentice", 2)
    assert first.figures == dict.fromkeys(("nauc", "harvest_100"), (0.5, 0.4, 0.6))
    assert (second.order, second.figures["nauc"]) == ("bfs", (0.1, 0.1, 0.1))


def test_every_variant_of_a_web_has_a_line_and_names_stand_before_all_others() -> None:
    given = ("inside", "keywords", "inside-names", "names")
    docs = _results(*(_row("apprentice", {"a": 0.4}, variant) for variant in given))
    shop = _results(_row("apprentice", {"a": 0.4}, "names"))
    rows = [*overall_rows("docs", docs), *overall_rows("shop", shop)]
    nauc, hr100 = overall_tables(rows).split("\n\n")
    for table in (nauc, hr100):
        assert [tuple(line.split()[:2]) for line in table.splitlines()[1:]] == [
            *(("docs", "names"), ("shop", "names"), ("docs", "inside"), ("docs", "keywords")),
            ("docs", "inside-names"),
        ]


def test_the_best_order_of_a_web_has_a_star_and_one_that_was_not_run_there_no_figure() -> None:
    ours, bfs = _row("apprentice", {"a": 0.4, "b": 0.6}), _row("bfs", {"a": 0.6, "b": 0.8})
    docs = _results(ours, bfs, _row("greedy-oracle", {"a": 1.0, "b": 1.0}))
    shop = _results(_row("apprentice", {"a": 0.4}))
    rows = [*overall_rows("docs", docs), *overall_rows("shop", shop)]
    lines = [line.split() for line in overall_tables(rows).splitlines()]
    head = "nAUC variant topics apprentice from to apprentice bfs greedy-oracle"
    assert lines[:3] == [
        head.split(),
        ["docs", "keywords", "2", "0.400", "0.600", "0.500", "0.700*", "1.000"],
        ["shop", "keywords", "1", "-", "-", "0.400*", "-", "-"],
    ]
    assert lines[4][0] == "HR100"
