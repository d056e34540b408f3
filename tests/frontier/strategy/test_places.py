import re
from zlib import crc32

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from frontier.strategy.order_driver import folder_places, host_places, template_places


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


def masked(part: bytes, *, last: bool) -> bytes:
    dot = part.rfind(b".") if last else -1
    if dot < 1 or len(part) - dot > 6:
        dot = len(part)
    name, ending = part[:dot], part[dot:]
    if not name:
        return ending
    if re.fullmatch(b"[0-9]+", name):
        return b"N" + ending
    return (b"A" if re.search(b"[0-9]", name) else b"W") + ending


def template(url: str) -> bytes:
    """The same in regular expressions."""
    coded = url.encode("utf-8", "surrogatepass").partition(b"#")[0]
    before, mark, query = coded.partition(b"?")
    start = re.match(b"[^/]*://[^/]*|[^/]*", before, re.DOTALL).group()
    parts = before[len(start) :].split(b"/")[1:]
    kept = [start]
    for place, part in enumerate(parts):
        last = place == len(parts) - 1
        literal = not place and not last and not re.search(b"[0-9]", part)
        kept.append(part if literal else masked(part, last=last))
    keys = re.sub(b"=[^&?]*", b"", mark + query)
    return b"/".join(kept) + keys


@given(st.lists(st.text(alphabet="a1.:/?#&=é\ud800", max_size=14)))
def test_templates_are_checksums_of_urls_with_their_names_masked(urls):
    assert template_places(urls).tolist() == [crc32(template(url)) for url in urls]
