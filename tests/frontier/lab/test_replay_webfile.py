from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from frontier.errors import RecordingError
from frontier.lab.replay.webfile import AnswerKind, WebFile, WebWriter
from tests.frontier.lab import replay_webs as webs

PAGES = {
    "": webs.page("b", "old", "away", text="home", title="Home"),
    "b": webs.page("", "gone", text="second"),
    "old": webs.sent_on("b"),
    "gone": webs.failed(404),
}


def test_recorded_urls_come_first_and_lead_where_a_crawl_would_go(tmp_path: Path) -> None:
    web = webs.made(tmp_path, PAGES)

    assert web.n_recorded == 4
    assert web.urls == [webs.url(one) for one in ("", "b", "old", "gone", "away")]
    assert web.kinds.tolist() == [
        AnswerKind.PAGE,
        AnswerKind.PAGE,
        AnswerKind.REDIRECT,
        AnswerKind.FAILED,
        AnswerKind.UNKNOWN,
    ]
    leads = [
        web.targets[web.indptr[one] : web.indptr[one + 1]].tolist() for one in range(web.n_recorded)
    ]
    assert leads == [[1, 2, 4], [0, 3], [1], []]


def test_an_answer_says_what_was_recorded(tmp_path: Path) -> None:
    web = webs.made(tmp_path, PAGES)

    home = web.read(0)
    assert (home.kind, home.status, home.content) == (AnswerKind.PAGE, 200, PAGES[""].content)
    assert home.links.tolist() == [1, 2, 4]
    assert web.text(0) == "Home\nhome"
    old = web.read(2)
    assert (old.kind, old.location, old.links.tolist()) == (AnswerKind.REDIRECT, 1, [])
    assert (web.read(3).kind, web.read(3).status) == (AnswerKind.FAILED, 404)
    assert (web.read(4).kind, web.text(4)) == (AnswerKind.UNKNOWN, "")


def test_urls_are_found_however_they_are_spelled(tmp_path: Path) -> None:
    web = webs.made(tmp_path, {"x?b=2&a=1": webs.page()})

    assert web.find("http://A.example:80/x?a=1&b=2#top") == 0
    assert web.find("http://a.example/y") == -1


def test_of_several_answers_for_one_url_the_first_of_the_best_kind_stays(tmp_path: Path) -> None:
    path = tmp_path / "one.labweb"
    with path.open("wb") as file:
        writer = WebWriter(file)
        for parsed in (webs.failed(503), webs.page(title="first"), webs.page(title="second")):
            writer.add(webs.url("x"), parsed)
        writer.add(webs.url("x#here"), webs.sent_on("y"))
        writer.finish(lambda _: None, {})

    assert WebFile(path, "one").read(0).content.title == "first"


def test_a_recorded_url_may_answer_for_one_that_was_not(tmp_path: Path) -> None:
    path = tmp_path / "one.labweb"
    with path.open("wb") as file:
        writer = WebWriter(file)
        writer.add("http://a.example/", webs.page("//b.example/", "//c.example/"))
        writer.add("https://b.example/", webs.page(title="B"))
        secure = {"http://b.example/": "https://b.example/"}
        writer.finish(secure.get, {})
    web = WebFile(path, "one")

    home = web.read(0)
    assert [web.urls[one] for one in home.links] == ["http://b.example/", "http://c.example/"]
    assert web.read(int(home.links[0])).content.title == "B"
    assert web.find("http://b.example/") == web.find("https://b.example/") == 1
    assert web.targets.tolist() == [1, 3]
    assert web.kinds[home.links].tolist() == [AnswerKind.PAGE, AnswerKind.UNKNOWN]


TEXT = st.text(max_size=30)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    st.dictionaries(
        st.integers(0, 8), st.tuples(TEXT, TEXT, st.lists(st.integers(0, 12))), max_size=6
    )
)
def test_any_web_is_read_as_it_was_written(
    tmp_path: Path, pages: dict[int, tuple[str, str, list[int]]]
) -> None:
    written = {
        f"p{number}": webs.page(*(f"p{one}" for one in links), text=text, title=title)
        for number, (title, text, links) in pages.items()
    }
    with webs.made(tmp_path, written) as web:
        assert webs.paths(web, range(web.n_recorded)) == list(written)
        for number, parsed in enumerate(written.values()):
            answer = web.read(number)
            assert answer.content == parsed.content
            assert webs.paths(web, answer.links.tolist()) == [
                link.url.removeprefix(f"{webs.HOST}/") for link in parsed.content.links
            ]
        assert np.array_equal(web.answers[: web.n_recorded], np.arange(web.n_recorded))


@pytest.mark.parametrize("content", [b"", b"something else", b"x" * 10_000])
def test_a_file_that_is_none_says_what_to_do(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.labweb"
    path.write_bytes(content)

    with pytest.raises(RecordingError, match="Delete it"):
        WebFile(path, "broken")
