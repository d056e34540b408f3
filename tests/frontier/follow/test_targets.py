"""Sinks by what the command line names."""

from __future__ import annotations

from pathlib import Path

import pytest

from frontier.errors import FollowError
from frontier.follow.bulk import BulkSink
from frontier.follow.targets import target_of, webhook
from tests.support.followed import Kept
from tests.support.told import telling


def test_an_address_is_an_index_and_its_key_has_no_password() -> None:
    target = target_of("https://me:secret@search.example:9200/pages")
    assert target.shown == "https://search.example:9200/pages"
    assert "secret" not in target.key
    assert isinstance(target.make(), BulkSink)
    assert webhook("https://a.example/b?c").key != target_of("https://a.example/b").key


def test_a_class_of_ones_own_is_named_by_its_path() -> None:
    assert isinstance(target_of("tests.support.followed:Kept").make(), Kept)


@pytest.mark.parametrize("to", ["no.such.module:Sink", "tests.support.followed:Lost"])
def test_a_class_that_is_missing_is_an_error(to: str) -> None:
    with pytest.raises(FollowError, match=telling(to)):
        target_of(to).make()


def test_a_class_that_is_no_sink_is_an_error() -> None:
    with pytest.raises(FollowError, match=telling("is_new")):
        target_of("collections:OrderedDict").make()


@pytest.mark.parametrize("to", ["", "pages", "redis:", "a/b:c", str(Path("x.sqlite"))])
def test_what_names_no_sink_is_an_error(to: str) -> None:
    with pytest.raises(FollowError, match=telling("package.module:Sink")):
        target_of(to)


def test_a_class_of_ones_own_decides_about_tombstones() -> None:
    with pytest.raises(FollowError, match="--tombstones"):
        target_of("tests.support.followed:Kept", tombstones=True)
