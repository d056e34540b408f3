import numpy as np
import pytest

from frontier.strategy.places import folder_places, host_places

SAME = [
    ("http://a.example/docs/x.html", "http://a.example/docs/y.html"),
    ("http://a.example/docs/", "http://a.example/docs/x?q=/other/"),
    ("http://a.example/docs/x#/part/", "http://a.example/docs/x"),
    ("http://a.example", "http://a.example/"),
]
OTHER = [
    ("http://a.example/docs/x", "http://a.example/docs/api/x"),
    ("http://a.example/docs/x", "http://b.example/docs/x"),
    ("http://a.example/docs", "http://a.example/docs/"),
]


@pytest.mark.parametrize("pair", SAME)
def test_urls_that_differ_after_the_last_slash_share_a_folder(pair):
    first, second = folder_places(pair)
    assert first == second


@pytest.mark.parametrize("pair", OTHER)
def test_other_paths_and_other_hosts_are_other_folders(pair):
    first, second = folder_places(pair)
    assert first != second


def test_places_are_one_number_a_name_and_survive_any_text():
    places = host_places(["a.example", "b.example", "a.example", "\ud800"])
    assert places.dtype == np.uint32
    assert places[0] == places[2] != places[1]
    assert host_places([]).shape == (0,)
