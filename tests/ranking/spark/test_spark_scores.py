"""Spark jobs against this library's own rankings, on graphs that people made and on odd ones."""

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
    "weight": pa.table({"source": [1, 2], "target": [2, 3], "weight": [1.0, -1.0]}),
    "name": pa.table({"source": ["a", ""], "target": ["b", "c"]}),
    "missing": pa.table({"source": ["a", None], "target": ["b", "c"]}),
    "column": pa.table({"source": ["a"], "goal": ["b"]}),
    "type": pa.table({"source": [1.5], "target": [2.5]}),
    "rows": pa.table({"source": pa.array([], pa.int64()), "target": pa.array([], pa.int64())}),
}


@pytest.fixture(scope="module")
def folder(shared, tmp_path_factory):
    spark_environment.install()
    folder = tmp_path_factory.mktemp("spark")
    for name, load in REAL.items():
        write_real(folder, name, np.array(load(shared).edges))
    sources, targets, weights = zip(*ODD, strict=True)
    odd = pa.table(
        {"weight": pa.array(weights, pa.float64()), "Source": sources, "target": targets}
    )
    parts = folder / "odd" / "day=1"
    parts.mkdir(parents=True)
    pq.write_table(odd.slice(0, 9), parts / "one.parquet")
    pq.write_table(odd.slice(9), parts / "two.parquet")
    pq.write_table(pa.table({"from": [5, 2**40], "to": [2**40, 5]}), folder / "large.parquet")
    pq.write_table(
        pa.table({"source": [0, 1], "target": [1, 2], "weight": [0, 0]}), folder / "none.parquet"
    )
    (folder / "seeds.tsv").write_text("# trusted\nGröße\nc\t0\nab\nd\t2\n")
    (folder / "twice.tsv").write_text("name\tscore\nc\t1\nc\t2\n")
    (folder / "strangers.tsv").write_text("nobody\n")
    for name, table in BAD.items():
        pq.write_table(table, folder / f"bad-{name}.parquet")
    return folder


def write_real(folder, name, edges):
    rng = np.random.default_rng(7)
    nodes = np.unique(edges)
    pq.write_table(
        pa.table({"source": edges[:, 0], "target": edges[:, 1]}), folder / f"{name}.parquet"
    )
    relevance = pa.table({"name": nodes, "value": rng.random(len(nodes)) * (nodes % 3 > 0)})
    pq.write_table(relevance, folder / f"{name}-relevance.parquet")
    seeds = rng.choice(nodes, 5, replace=False)
    pq.write_table(pa.table({"name": seeds, "value": np.arange(5)}), folder / f"{name}-few.parquet")


def lines() -> dict[str, list[str]]:
    """Command lines by the name of what they write, without `rank` and `--out`."""
    found = {}
    for name in REAL:
        edges = f"{name}.parquet"
        found[f"{name}-pagerank"] = [edges, "--method", "pagerank"]
        found[f"{name}-ppr"] = [edges, "--method", "ppr", "--restart", f"{name}-few.parquet"]
        relevance = ["--relevance", f"{name}-relevance.parquet"]
        found[f"{name}-topic-hits"] = [edges, "--method", "topic-hits", *relevance]
    half = ["--damping", "0.5"]
    found["odd-pagerank"] = ["odd", "--method", "pagerank", *half]
    found["odd-trustrank"] = ["odd", "--method", "trustrank", "--seeds", "seeds.tsv", *half]
    found["odd-hits"] = ["odd", "--method", "hits"]
    found["odd-unweighted"] = ["odd", "--method", "pagerank", "--unweighted", *half]
    found["large-pagerank"] = ["large.parquet", "--method", "pagerank", *half]
    found["none-pagerank"] = ["none.parquet", "--method", "pagerank"]
    found["none-hits"] = ["none.parquet", "--method", "hits"]
    found["few-iterations"] = ["odd", "--method", "pagerank", "--max-iterations", "2"]
    for name in BAD:
        found[f"bad-{name}"] = [f"bad-{name}.parquet", "--method", "pagerank"]
    found["bad-path"] = ["nowhere.parquet", "--method", "pagerank"]
    found["bad-twice"] = ["odd", "--method", "ppr", "--restart", "twice.tsv"]
    found["bad-strangers"] = ["odd", "--method", "ppr", "--restart", "strangers.tsv"]
    found["bad-no-file"] = ["odd", "--method", "ppr", "--restart", "nowhere.tsv"]
    found["seeds.tsv"] = ["odd", "--method", "hits"]  # where there is something already
    return found


@pytest.fixture(scope="module")
def answers(folder) -> dict[str, tuple[int, str]]:
    """Exit status and messages of every line."""
    cases = {name: ["rank", *line, "--out", name] for name, line in lines().items()}
    script = str(spark_environment.ROOT / "tests/ranking/spark/spark_cases.py")
    done = spark_environment.run(["python", script], folder, input=json.dumps(cases))
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(done.stdout)


def written(folder, name) -> tuple[list[str], dict[str, np.ndarray]]:
    """Names and columns in the order of the files."""
    paths = sorted((folder / name).glob("part-*.parquet"))
    table = pa.concat_tables([pq.read_table(path) for path in paths])
    assert (folder / name / "_SUCCESS").is_file()
    columns = {key: table[key].to_numpy() for key in table.column_names if key != "name"}
    return [str(one) for one in table["name"].to_pylist()], columns


def expected(folder, edges, method, vector=None, *, weighted=True, damping=0.85):
    """Names and columns of `ranking.offline`, by id."""
    read = read_edges(folder / edges, weighted=weighted)
    given = {}
    if vector is not None:
        kind = "relevance" if method == "topic-hits" else "restart"
        given[kind] = read_values(folder / vector, read.names, "\t").values
    tol = 1e-9
    return list(read.names), columns_of(
        run_method(read.graph(), method, **given, damping=damping, tol=tol)
    )


def compare(folder, name, *what, **how) -> None:
    """Each score within 1e-6, the best first, and in the same order where scores differ."""
    names, columns = written(folder, name)
    known, right = expected(folder, *what, **how)
    assert sorted(names) == sorted(known)
    place = {one: at for at, one in enumerate(known)}
    ids = np.array([place[one] for one in names])
    assert columns.keys() == right.keys()
    for key, column in columns.items():
        assert np.abs(column - right[key][ids]).max() <= 1e-6
        assert column.min() >= 0
        assert column.sum() == pytest.approx(1, abs=1e-12)
    assert (np.diff(columns["score"]) <= 0).all()
    assert (np.diff(right["score"][ids]) <= 2e-6).all()


@pytest.mark.parametrize("name", REAL)
def test_pagerank_of_a_real_graph_is_that_of_the_engine(folder, answers, name):
    assert answers[f"{name}-pagerank"][0] == 0
    compare(folder, f"{name}-pagerank", f"{name}.parquet", "pagerank")


@pytest.mark.parametrize("name", REAL)
def test_personalized_pagerank_of_a_real_graph_is_that_of_the_engine(folder, answers, name):
    assert answers[f"{name}-ppr"][0] == 0
    compare(folder, f"{name}-ppr", f"{name}.parquet", "ppr", f"{name}-few.parquet")


@pytest.mark.parametrize("name", REAL)
def test_topical_hits_of_a_real_graph_is_that_of_the_engine(folder, answers, name):
    assert answers[f"{name}-topic-hits"][0] == 0
    vector = f"{name}-relevance.parquet"
    compare(folder, f"{name}-topic-hits", f"{name}.parquet", "topic-hits", vector)


def test_self_links_repeated_nofollow_and_dangling_count_as_in_the_engine(folder, answers):
    assert answers["odd-pagerank"][0] == 0
    compare(folder, "odd-pagerank", "odd", "pagerank", damping=0.5)


def test_seeds_are_read_from_text_and_strangers_among_them_are_named(folder, answers):
    status, said = answers["odd-trustrank"]
    assert status == 0
    assert "seeds.tsv" in said
    assert "1 (ab)" in said
    compare(folder, "odd-trustrank", "odd", "trustrank", "seeds.tsv", damping=0.5)


def test_equally_strong_communities_all_stay_in_hits(folder, answers):
    assert answers["odd-hits"][0] == 0
    compare(folder, "odd-hits", "odd", "hits")


def test_weights_are_ignored_where_that_is_asked_for(folder, answers):
    assert answers["odd-unweighted"][0] == 0
    compare(folder, "odd-unweighted", "odd", "pagerank", weighted=False, damping=0.5)


def test_integers_beyond_32_bits_stay_integers(folder, answers):
    assert answers["large-pagerank"][0] == 0
    names, columns = written(folder, "large-pagerank")
    assert sorted(map(int, names)) == [5, 2**40]
    assert columns["score"] == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("method", ["pagerank", "hits"])
def test_without_a_link_that_counts_all_scores_are_equal(folder, answers, method):
    assert answers[f"none-{method}"][0] == 0
    for column in written(folder, f"none-{method}")[1].values():
        assert column == pytest.approx([1 / 3] * 3)


def test_what_did_not_reach_its_tolerance_is_written_and_says_so(folder, answers):
    status, said = answers["few-iterations"]
    assert status == 3
    assert "2 iterations" in said
    assert sum(written(folder, "few-iterations")[1]["score"]) == pytest.approx(1)


@pytest.mark.parametrize("name", [*BAD, "path", "twice", "strangers", "no-file"])
def test_what_cannot_be_used_is_refused_by_name_and_nothing_is_written(folder, answers, name):
    status, said = answers[f"bad-{name}"]
    assert status == 2
    line = lines()[f"bad-{name}"]
    assert (line[-1] if len(line) > 3 else line[0]) in said.splitlines()[-1]
    assert not (folder / f"bad-{name}").exists()


def test_what_is_there_already_is_not_overwritten(folder, answers):
    assert answers["seeds.tsv"][0] == 2
    assert "trusted" in (folder / "seeds.tsv").read_text()


def test_spark_submit_runs_the_same_with_iterates_on_disk(folder, answers):
    script = str(spark_environment.ROOT / "ranking" / "spark" / "__main__.py")
    job = ["rank", "odd", "--method", "hits", "--out", "submitted", "--work", "work", "--quiet"]
    command = ["spark-submit", *spark_environment.options(), script, *job]
    done = spark_environment.run(command, folder)
    assert done.returncode == 0, done.stderr[-4000:]
    assert any((folder / "work").iterdir())
    compare(folder, "submitted", "odd", "hits")
