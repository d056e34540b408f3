"""Rankings on Spark against this library's own, on graphs that people made and on odd ones."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ranking.offline import columns_of, read_edges, read_values, run_method
from tests.ranking import reference
from tests.ranking.spark import spark_environment

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

REAL = {"polblogs": reference.polblogs, "hollins": reference.hollins}
ODD = [
    # source, target, weight: two equal communities, and a weaker one
    *[(f"{one}{hub}", f"{one}{page}", 1) for one in "ab" for hub in "xyz" for page in "pqr"],
    ("c", "d", 0.1),
    ("c", "c", 7),  # a link to itself
    ("alone", "alone", 1),  # and a node that has no other
    ("ax", "ap", 0.5),  # repeated with less, with more, and as nofollow
    ("c", "d", 0.3),
    ("ap", "ax", 0.001),
    ("ap", "ax", 0),
    ("nofollow", "bp", 0),
    ("d", "e", 1e-45),
    ("Größe", "e", 2),
]
BAD = {
    "weight": (pa.table({"source": [1, 2], "target": [2, 3], "weight": [1.0, -1.0]}), "-1.0"),
    "name": (pa.table({"source": ["a", ""], "target": ["b", "c"]}), "'c'"),
    "missing": (pa.table({"source": ["a", None], "target": ["b", "c"]}), "None"),
    "column": (pa.table({"source": ["a"], "goal": ["b"]}), "goal"),
    "type": (pa.table({"source": [1.5], "target": [2.5]}), "double"),
    "rows": (pa.table({"source": pa.array([], "int64"), "target": pa.array([], "int64")}), "none"),
}
HALF = {"damping": 0.5}


@pytest.fixture(scope="module")
def folder(shared, tmp_path_factory):
    spark_environment.install()
    folder = tmp_path_factory.mktemp("spark")
    for name, load in REAL.items():
        write_real(folder, name, np.array(load(shared).edges))
    sources, targets, weights = zip(*ODD, strict=True)
    odd = {"weight": pa.array(weights, pa.float64()), "Source": sources, "target": targets}
    seeds = {"name": ["Größe", "c", "ab", "d"], "value": [1.0, 0, 1, 1]}
    tables = {
        "odd": odd,
        "large": {"source": [5, 2**40], "target": [2**40, 5]},
        "none": {"source": [0, 1], "target": [1, 2], "weight": [0, 0]},
        "seeds": seeds,
        "names": {"name": ["Größe", "d", "nobody"]},
        "twice": {"name": ["c", "c"], "value": [1, 2]},
        "strangers": {"name": ["nobody"]},
    }
    for name, columns in tables.items():
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    for name, (table, _) in BAD.items():
        pq.write_table(table, folder / f"bad-{name}.parquet")
    return folder


def write_real(folder, name, edges):
    rng = np.random.default_rng(7)
    nodes = np.unique(edges)
    pq.write_table(
        pa.table({"source": edges[:, 0], "target": edges[:, 1]}), folder / f"{name}.parquet"
    )
    seeds = rng.choice(nodes, 5, replace=False)
    pq.write_table(pa.table({"name": seeds, "value": np.arange(5)}), folder / f"{name}-few.parquet")


def cases() -> dict[str, list]:
    """Name of a case -> function, tables without their suffix, options."""
    found = {}
    for name in REAL:
        found[f"{name}-pagerank"] = ["pagerank", [name], HALF]
        found[f"{name}-ppr"] = ["pagerank", [name, f"{name}-few"], HALF]
    found |= {
        "odd-pagerank": ["pagerank", ["odd"], HALF],
        "odd-ppr": ["pagerank", ["odd", "seeds"], HALF],
        "odd-names": ["pagerank", ["odd", "names"], HALF],
        "large-pagerank": ["pagerank", ["large"], HALF],
        "none-pagerank": ["pagerank", ["none"], {}],
        "few-iterations": ["pagerank", ["odd"], {"max_iterations": 2}],
        "no-damping": ["pagerank", ["odd"], {"damping": 0}],
        "bad-twice": ["pagerank", ["odd", "twice"], {}],
        "bad-strangers": ["pagerank", ["odd", "strangers"], {}],
        "bad-damping": ["pagerank", ["odd"], {"damping": 1}],
        "bad-tol": ["pagerank", ["odd"], {"tol": 0}],
        "bad-most": ["pagerank", ["odd"], {"max_iterations": 0}],
        **{f"bad-{name}": ["pagerank", [f"bad-{name}"], {}] for name in BAD},
        # Last: the directory is the session's from then on.
        "checkpointed": ["pagerank", ["odd"], HALF | {"checkpoints": True}],
    }
    return found


@pytest.fixture(scope="module")
def answers(folder) -> dict[str, list]:
    """Of every case its iterations and whether it converged, or its error."""
    paths = {
        name: [function, [str(folder / f"{table}.parquet") for table in tables], options]
        for name, (function, tables, options) in cases().items()
    }
    script = str(spark_environment.ROOT / "tests/ranking/spark/spark_cases.py")
    done = spark_environment.run(["python", script], folder, input=json.dumps(paths))
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout)


def written(folder, name) -> dict[str, dict[str, float]]:
    """Columns by name of the column, then of the node."""
    rows = json.loads((folder / f"{name}.json").read_text())
    keys = [key for key in rows[0] if key != "name"]
    return {key: {str(row["name"]): row[key] for row in rows} for key in keys}


def compare(folder, name, edges, method, vector=None, *, damping=0.85) -> None:
    """Each score within 1e-6 of that in memory."""
    read = read_edges(folder / f"{edges}.parquet")
    values = None if vector is None else read_values(vector, read.names)[0]
    right = columns_of(run_method(read.graph(), method, values, damping=damping, tol=1e-9))
    found = written(folder, name)
    assert found.keys() == right.keys()
    for key, column in found.items():
        expected = dict(zip(read.names.to_pylist(), right[key].tolist(), strict=True))
        assert column == pytest.approx(expected, abs=1e-6)
        assert min(column.values()) >= 0
        assert sum(column.values()) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("name", REAL)
def test_pagerank_of_a_real_graph_is_that_in_memory(folder, answers, name):
    assert answers[f"{name}-pagerank"][1] is True
    compare(folder, f"{name}-pagerank", name, "pagerank", damping=0.5)


@pytest.mark.parametrize("name", REAL)
def test_personalized_pagerank_of_a_real_graph_is_that_in_memory(folder, answers, name):
    assert answers[f"{name}-ppr"][1] is True
    compare(folder, f"{name}-ppr", name, "ppr", folder / f"{name}-few.parquet", damping=0.5)


def test_self_links_repeated_nofollow_and_dangling_count_as_in_memory(folder, answers):
    assert answers["odd-pagerank"][1] is True
    compare(folder, "odd-pagerank", "odd", "pagerank", damping=0.5)


def test_seeds_have_values_or_count_alike_and_strangers_among_them_are_left_out(folder, answers):
    assert answers["odd-ppr"][1] is True
    compare(folder, "odd-ppr", "odd", "ppr", folder / "seeds.parquet", damping=0.5)
    assert answers["odd-names"][1] is True
    (folder / "seeds.txt").write_text("Größe\nd\n", encoding="utf-8")
    compare(folder, "odd-names", "odd", "ppr", folder / "seeds.txt", damping=0.5)


def test_without_damping_only_jumps_count(folder, answers):
    assert answers["no-damping"] == [1, True]
    (column,) = written(folder, "no-damping").values()
    assert column == pytest.approx(dict.fromkeys(column, 1 / len(column)))


def test_integers_beyond_32_bits_stay_integers(folder, answers):
    assert answers["large-pagerank"][1] is True
    assert written(folder, "large-pagerank") == {
        "score": pytest.approx({"5": 0.5, str(2**40): 0.5})
    }


def test_without_a_link_that_counts_all_scores_are_equal(folder, answers):
    assert answers["none-pagerank"][1] is True
    (column,) = written(folder, "none-pagerank").values()
    assert column == pytest.approx(dict.fromkeys("012", 1 / 3))


def test_what_did_not_reach_its_tolerance_is_reported(folder, answers):
    assert answers["few-iterations"] == [2, False]
    assert sum(written(folder, "few-iterations")["score"].values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "figure"),
    [
        *((name, figure) for name, (_, figure) in BAD.items()),
        ("twice", "'c'"),
        ("strangers", "seeds"),
        ("damping", "damping"),
        ("tol", "tol"),
        ("most", "max_iterations"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(answers, name, figure):
    error, message = answers[f"bad-{name}"]
    assert error == (
        "RankingInputError" if name in {"damping", "tol", "most"} else "OfflineInputError"
    )
    assert figure in message


def test_a_checkpoint_directory_of_the_session_is_used(folder, answers):
    assert answers["checkpointed"] == answers["odd-pagerank"]
    assert any((folder / "checkpoints").rglob("part-*"))
    compare(folder, "checkpointed", "odd", "pagerank", damping=0.5)
