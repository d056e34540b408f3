from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.errors import LabError
from frontier.lab.protocol.keywords import (
    derived_keywords,
    plain_name,
    read_keywords,
    read_names,
)
from frontier.lab.protocol.labels import Labels, read_labels, split_topics


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "topics.tsv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("heading", ["url\ttopic\n", "URL\tTopic\n", "\ufeffurl\ttopic\n", ""])
def test_labels_are_read_with_and_without_a_heading(tmp_path: Path, heading: str) -> None:
    text = "http://a.example/1\tbirds\nhttp://a.example/2\tbirds\nhttp://a.example/1\tfish\n"
    labels = read_labels(_file(tmp_path, heading + text))
    assert labels.topics == {
        "birds": ("http://a.example/1", "http://a.example/2"),
        "fish": ("http://a.example/1",),
    }
    assert labels.bad == []


def test_bad_lines_are_named_with_their_numbers_and_the_others_are_used(tmp_path: Path) -> None:
    lines = [
        "url\ttopic",
        "# a comment",
        "",
        "http://a.example/1 birds",
        "http://a.example/2\t",
        "ftp://a.example/3\tbirds",
        "http://a.example/4\tbirds\tfish",
        "http://a.example/5\tbirds",
    ]
    labels = read_labels(_file(tmp_path, "\n".join(lines)))
    assert labels.topics == {"birds": ("http://a.example/5",)}
    assert [(bad.number, bad.fault) for bad in labels.bad] == [
        (4, "no tab between URL and topic"),
        (5, "no topic behind the tab"),
        (6, "the URL does not start with http:// or https://"),
        (7, "more than one tab"),
    ]
    assert str(labels.bad[0]) == (
        "line 4: no tab between URL and topic: 'http://a.example/1 birds'"
    )


def test_a_file_without_a_label_is_an_error_that_names_lines(tmp_path: Path) -> None:
    with pytest.raises(LabError, match=r"not one of its 7 lines is one(.|\n)*line 1: no tab"):
        read_labels(_file(tmp_path, "nothing\n" * 7))
    with pytest.raises(LabError, match="it is empty"):
        read_labels(_file(tmp_path, ""))
    with pytest.raises(LabError, match="cannot be read"):
        read_labels(tmp_path / "absent.tsv")
    (tmp_path / "latin.tsv").write_bytes(b"http://a.example/\xe9\tbirds\n")
    with pytest.raises(LabError, match="not UTF-8"):
        read_labels(tmp_path / "latin.tsv")


def _labels(sizes: dict[str, int]) -> Labels:
    return Labels(
        {topic: tuple(f"http://{topic}/{i}" for i in range(n)) for topic, n in sizes.items()}
    )


def test_topics_alternate_between_the_sides_in_the_order_of_their_hashes() -> None:
    names = [f"topic {letter}" for letter in "abcdefg"]
    sides = split_topics(_labels(dict.fromkeys(names, 3)))
    by_hash = sorted(names, key=lambda name: blake2b(name.encode(), digest_size=8).hexdigest())
    assert sides.development == tuple(by_hash[0::2])
    assert sides.test == tuple(by_hash[1::2])
    assert sides.part("all") == tuple(by_hash)
    assert sides.part("test", 2) == tuple(by_hash[1::2][:2])


def test_topics_of_another_size_are_no_part_of_the_split_and_are_kept_with_the_reason() -> None:
    sides = split_topics(_labels({"a": 39, "b": 40, "c": 200, "d": 201}), 40, 200)
    assert set(sides.development) | set(sides.test) == {"b", "c"}
    assert sides.dropped == 2


@given(st.sets(st.text(min_size=1), min_size=1, max_size=20))
def test_every_topic_is_on_one_side_and_the_sides_are_of_one_size(names: set[str]) -> None:
    sides = split_topics(_labels(dict.fromkeys(names, 1)))
    assert sorted(sides.development + sides.test) == sorted(names)
    assert len(sides.development) - len(sides.test) in (0, 1)


def test_the_split_of_the_shared_webs_is_what_it_always_was(shared: Path) -> None:
    wikispeedia = split_topics(read_labels(shared / "webs/wikispeedia.topics.tsv"), 40, 200)
    assert wikispeedia.development[:2] == (
        "Everyday_life.Television",
        "Science.Biology.Health_and_medicine",
    )
    assert (len(wikispeedia.development), len(wikispeedia.test)) == (21, 21)
    docs = split_topics(read_labels(shared / "webs/docs.subjects.tsv"))
    assert set(docs.development) == {"files", "statistics", "concurrency", "testing", "dates-times"}
    assert set(docs.test) == {"colour", "networking", "text-encoding", "indexes", "transactions"}


def test_keywords_of_a_file_are_read_and_slips_are_named(tmp_path: Path) -> None:
    text = "topic\tkeywords\nbirds\twing feather\n\n# none\nfish\nships\tkeel\n"
    found, bad = read_keywords(_file(tmp_path, text))
    assert found == {"birds": "wing feather", "ships": "keel"}
    assert [line.number for line in bad] == [5]
    with pytest.raises(LabError, match="line 1"):
        read_keywords(_file(tmp_path, "birds\n"))


def test_names_are_read_as_typed_and_lines_that_name_nothing_are_told(tmp_path: Path) -> None:
    text = "Topic\tName\nA.Birds\t Birds of prey \n\n# a comment\nA.Fish\nA.Bees\t\n\tbees\n"
    found, bad = read_names(_file(tmp_path, text))
    assert found == {"A.Birds": "Birds of prey"}
    assert [(line.number, line.fault) for line in bad] == [
        (number, "no topic, tab and name") for number in (5, 6, 7)
    ]
    with pytest.raises(LabError, match=r"expected names .*: topic, a tab, name; but it is empty"):
        read_names(_file(tmp_path, ""))


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("Geography.European_Geography.European_Countries", "european countries"),
        ("History.British_History_1500_and_before", "british history 1500 and before"),
        ("Science.Physics.Space_Astronomy", "space astronomy"),
        ("text-encoding", "text encoding"),
        ("works-with.textFormats", "textformats"),
        ("  Two   words _ ", "two words"),
        ("languages.python.3.11", "python"),
        ("history.20_21", "history"),
        ("birds.", "birds"),
        ("birds..", "birds"),
        (".NET", "net"),
        ("c++", "c++"),
        ("自然.鳥類", "鳥類"),
        ("1984", "1984"),
        ("3.11", "3.11"),
    ],
)
def test_a_plain_name_is_the_last_part_of_a_label_that_says_something(
    label: str, name: str
) -> None:
    assert plain_name(label) == name


def test_derived_keywords_are_the_name_and_what_the_texts_agree_on() -> None:
    texts = [
        "The beak and the plumage of the finch. Its plumage is brown.",
        "Plumage and beak of an owl; the owl hunts with its beak.",
        "A beak, and a nest of the stork, and of other storks.",
        "The nests and plumages of the heron in the 1920s.",
    ]
    assert derived_keywords("Science.Birds_of_Europe", texts, 5) == (
        "birds europe beak plumage nest"
    )
