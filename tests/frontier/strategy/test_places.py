import re
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@given(st.lists(st.text(alphabet="a:/?#é\ud800", max_size=12)))
def test_places_are_checksums_of_what_is_before_the_last_slash_of_the_path(urls):
    def checksum(text):
        return crc32(text.encode("utf-8", "surrogatepass"))

    def folder(url):
        path = re.split("[?#]", url)[0]
        scheme = re.match(".*?://", path, re.DOTALL)
        start = scheme.end() if scheme else 0
        return path[: path.rindex("/")] if "/" in path[start:] else path

    assert host_places(urls).tolist() == [checksum(url) for url in urls]
    assert folder_places(urls).tolist() == [checksum(folder(url)) for url in urls]
