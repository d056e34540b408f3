"""A classifier's file as the judge of pages: what is taken, what is refused, what is kept."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ranking.errors import LinkRankError, TopicError
from ranking.topics import TfidfTopic, TopicModel, load_topic_model, names_a_file
from ranking.topics.classifier import ClassifierTopic
from ranking.topics.judging import PageText, judged, matches_of

pytest.importorskip("sklearn")
import joblib
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from tests.support.told import telling

TEXTS = [
    "a telescope sees a galaxy and a comet",
    "comets and stars in the galaxy",
    "the telescope of an observatory on the comet's night",
    "bread is baked in an oven",
    "butter on bread and jam",
    "a kitchen with an oven for cakes",
]
WANTED = [1, 1, 1, 0, 0, 0]


def saved(folder: Path, model: Any, name: str = "mine.joblib") -> str:
    path = folder / name
    joblib.dump(model, path)
    return str(path)


def pipeline(classifier: Any, labels: list[Any] = WANTED) -> Any:
    return make_pipeline(TfidfVectorizer(), classifier).fit(TEXTS, labels)


def test_relevance_is_the_probability_of_the_second_class(tmp_path: Path) -> None:
    trained = pipeline(LogisticRegression())
    model = load_topic_model(saved(tmp_path, trained))
    assert isinstance(model, TopicModel)
    expected = trained.predict_proba(["Comets\na comet in the galaxy"])[0, 1]
    assert model.relevance("a comet in the galaxy", "Comets") == pytest.approx(expected)
    judgement = judged(model, PageText("a comet in the galaxy", "Comets"))
    assert judgement.relevance == judgement.similarity == pytest.approx(expected)


def test_named_classes_count_by_their_order(tmp_path: Path) -> None:
    labels = ["wanted" if wanted else "unwanted" for wanted in WANTED]
    model = ClassifierTopic(saved(tmp_path, pipeline(LogisticRegression(), labels)))
    assert model.relevance("comets in a telescope") > 0.5 > model.relevance("bread in an oven")


def test_distances_become_probabilities(tmp_path: Path) -> None:
    trained = pipeline(LinearSVC())
    model = ClassifierTopic(saved(tmp_path, trained))
    d = trained.decision_function(["\ncomets"])[0]
    assert model.relevance("comets") == pytest.approx(1 / (1 + 2.718281828459045**-d))


def test_links_are_weighed_by_the_words_of_the_topic_where_there_are_any(tmp_path: Path) -> None:
    model = ClassifierTopic(saved(tmp_path, pipeline(LogisticRegression())))
    words = TfidfTopic()
    words.fit("quasars", [])
    model.fit("quasars", [])
    links = [("quasars", "comets", "http://x.example/q"), ("bread", "", "http://x.example/")]
    assert matches_of(model, links) == words.matches(links)
    assert model.promises(links) == words.promises(links)


def test_links_are_read_by_the_classifier_where_there_are_no_words(tmp_path: Path) -> None:
    trained = pipeline(LogisticRegression())
    model = ClassifierTopic(saved(tmp_path, trained))
    model.fit("", [])
    links = [("comets", "bread", "u"), ("", "galaxy", "u"), ("comets", "", "u")]
    comets, bread, galaxy = trained.predict_proba(["comets", "bread", "galaxy"])[:, 1]
    matches = model.matches(links)
    assert [match.anchor for match in matches] == pytest.approx([comets, 0.0, comets])
    assert [match.context for match in matches] == pytest.approx([bread, galaxy, 0.0])
    assert model.promise(*links[0]) == pytest.approx(comets)


@pytest.mark.parametrize("topic", ["", "comets"])
def test_restored_model_gives_identical_numbers(tmp_path: Path, topic: str) -> None:
    path = saved(tmp_path, pipeline(LogisticRegression()))
    model = ClassifierTopic(path)
    model.fit(topic, [])
    twin = ClassifierTopic(path)
    twin.restore(json.loads(json.dumps(model.state())))
    assert twin.state() == model.state()
    assert twin.relevance(TEXTS[0]) == model.relevance(TEXTS[0])
    assert twin.promise("comets", "bread", "u") == model.promise("comets", "bread", "u")


def test_another_classifier_in_the_old_place_is_refused(tmp_path: Path) -> None:
    model = ClassifierTopic(saved(tmp_path, pipeline(LogisticRegression())))
    other = ClassifierTopic(saved(tmp_path, pipeline(LogisticRegression(C=9.0))))
    with pytest.raises(TopicError, match=r"another.*old file"):
        other.restore(model.state())
    with pytest.raises(TopicError, match="expected the state"):
        other.restore({"version": 1, "cut": 0.5})


@pytest.mark.parametrize(
    ("model", "found"),
    [
        ([1, 2, 3], "a list"),
        (LinearRegression(), "a LinearRegression"),
        (make_pipeline(TfidfVectorizer(), LogisticRegression()), "text"),
        (LogisticRegression().fit([[0.0], [1.0]], [0, 1]), "text"),
        (pipeline(LogisticRegression(), [0, 1, 2, 0, 1, 2]), "3 classes"),
    ],
    ids=["list", "regression", "unfitted", "no text", "three classes"],
)
def test_model_that_judges_no_text_is_refused(tmp_path: Path, model: Any, found: str) -> None:
    with pytest.raises(TopicError, match=f"expected.*mine.joblib.*{found}.*Save"):
        load_topic_model(saved(tmp_path, model))


@pytest.mark.parametrize("content", [b"", b"fit me", b"\x80\x04", b"<html></html>" * 100])
def test_file_that_is_no_model_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.pkl"
    path.write_bytes(content)
    with pytest.raises(TopicError, match=telling("cannot be loaded") + r".*mine\.pkl"):
        load_topic_model(str(path))


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TopicError, match=r"none\.joblib.*No such file"):
        load_topic_model(str(tmp_path / "none.joblib"))


def test_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path, pipeline(LogisticRegression()))
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(LinkRankError, match=r"mine\.joblib.*sklearn.*linkrank\[sklearn\]"):
        load_topic_model(path)


@pytest.mark.parametrize(
    ("path", "is_file"),
    [
        ("mine.joblib", True),
        ("models/mine", True),
        ("/models/mine.pkl", True),
        ("mine.Model", False),
        ("joblib", False),
    ],
)
def test_file_names_and_import_paths_are_told_apart(path: str, is_file: bool) -> None:
    assert names_a_file(path) == is_file


def test_choosing_between_files_and_classes_loads_no_heavy_library() -> None:
    code = (
        "import sys; from ranking.topics import load_topic_model as load;"
        "load('ranking.topics.tfidf.TfidfTopic'); print({'joblib', 'sklearn'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert done.stdout.strip() == "set()"
