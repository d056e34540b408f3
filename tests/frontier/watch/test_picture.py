"""What a watcher sees of a crawl: exactly, at once, while it runs and after it."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from frontier.errors import StoreMissingError, StoreVersionError
from frontier.inspection import CrawlView
from frontier.inspection.onepage import UnknownUrlError
from frontier.labels.label_file import Label, append_labels
from frontier.labels.learning import fitted_topic
from frontier.records import Sample
from frontier.states import Change
from frontier.store import Store, StoreReader
from frontier.store.open import FILE_NAME
from frontier.watch import picture
from frontier.watch.picture import Pictures
from tests.support.driven_crawl import FETCHED, A, B, C, small_crawl
from tests.support.revisited_at import revisited, revisited_crawl
from tests.support.stored import stored_urls
from tests.support.watched import WatchedCrawl, small_watched_crawl, wide_web

FIRST = "http://host1.example/1"
UNSTEADY = ("now", "running", "finish_reason", "finish_text")


def seen(directory: Path) -> dict[str, Any]:
    with Pictures(directory) as pictures:
        return pictures.picture()


def steady(document: dict[str, Any]) -> dict[str, Any]:
    """Without what depends on the moment at which it was asked for."""
    return {name: value for name, value in document.items() if name not in UNSTEADY}


def test_the_picture_of_a_small_crawl(tmp_path: Path) -> None:
    crawl = small_watched_crawl(tmp_path)
    crawl.backend.ending = {"reason": "finished", "text": "All is fetched."}
    crawl.backend.store.set_politeness("a.example", 2e9, 4.0, "HTTP 429")
    crawl.close()
    found = seen(tmp_path)
    json.dumps(found, allow_nan=False)
    curve, numbers, hosts = found.pop("curve"), found.pop("numbers"), found.pop("hosts")
    latest, queue = found.pop("latest"), found.pop("queue")
    assert found.pop("now") > found.pop("started") > 1.6e9
    assert found == {
        "directory": str(tmp_path),
        "topic": "pages",
        "strategy": "bfs",
        "focused": True,
        "last_page": FETCHED + 5,
        "running": False,
        "finish_reason": "finished",
        "finish_text": "All is fetched.",
        "relevant_from": 0.5,
        "scanned": 1.0,
        "errors": [
            {"count": 1, "reason": "HTTP 404"},
            {"count": 1, "reason": "forbidden by robots.txt"},
        ],
        "refused": [],
        "estimates": {"harvest_rate": None, "remaining": None, "coverage": None},
        "reranks": [],
        "refresh": None,
        "rendered": {},
        "changes": [],
    }
    assert numbers.pop("memory") > 1e6
    assert numbers == {
        "known": 8,
        "queued": 2,
        "in_flight": 0,
        "pages": 3,
        "judged": 3,
        "relevant": 2,
        "failed": 2,
        "links": 10,
        "hosts": 3,
        "epoch": 0,
        "pages_per_second": None,
        "recent_share": 2 / 3,
    }
    assert {len(values) for values in curve.values()} == {len(curve["at"])}
    assert curve["pages"] == sorted(curve["pages"])
    assert (curve["pages"][-1], curve["relevant"][-1], curve["recent"][-1]) == (3, 2, 2 / 3)
    assert sum(queue["counts"]) == 2
    assert [one["host"] for one in hosts] == ["c.example", "a.example", "b.example"]
    assert hosts[1] == {
        "host": "a.example",
        "pages": 1,
        "judged": 1,
        "relevant": 1,
        "queued": 0,
        "in_flight": 0,
        "state": "slowed",
        "until": 2e9,
        "note": "HTTP 429",
    }
    assert (hosts[0]["state"], hosts[0]["until"], hosts[0]["note"]) == ("ok", None, None)
    assert [one["url"] for one in latest] == [C, B, A]
    assert latest[0] == {
        "url": C,
        "title": "Page C",
        "status": 200,
        "fetched": latest[0]["fetched"],
        "relevance": 0.5,
        "words": [],
        "anchor": f"to {C}",
        "from_url": B,
        "change": None,
    }
    assert latest[2]["from_url"] is None


def test_pictures_taken_while_it_runs_end_as_one_that_is_taken_at_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(picture, "STEP", 0.0)  # one portion of answers a picture
    monkeypatch.setattr(picture, "_PORTION", 7)
    monkeypatch.setattr("frontier.backend.progress.snapshots.MOST", 20)
    web = wide_web(150, 5)
    for number in (4, 6, 9):
        del web[f"http://host{number % 5}.example/{number}"]
    crawl = WatchedCrawl(tmp_path, web, strategy="ppr", topic="pages", rerank_min_pages=5)
    crawl.seed(FIRST)
    crawl.run(1)
    with Pictures(tmp_path) as pictures:
        for _ in range(30):
            crawl.run(3)
            found = pictures.picture()
            assert found["running"]
            assert len(found["curve"]["at"]) <= 21  # and one of now
        crawl.close()
        while pictures.picture()["scanned"] < 1:
            pass
        last = pictures.picture()
    whole = Pictures(tmp_path)
    whole.picture()
    while whole.picture()["scanned"] < 1:
        pass
    assert steady(last) == steady(whole.picture())
    assert len(last["latest"]) == 50
    assert last["errors"] == [{"count": 3, "reason": "HTTP 404"}]


def test_between_two_snapshots_the_numbers_go_on(tmp_path: Path) -> None:
    crawl = WatchedCrawl(tmp_path, wide_web(60, 3), 1e-9, strategy="bfs", topic="pages")
    crawl.seed(FIRST)
    crawl.run(5)
    crawl.snapshots.take()
    crawl.run(7)
    crawl.backend.commit()
    found = seen(tmp_path)
    assert (found["running"], found["numbers"]["pages"]) == (True, 12)
    assert found["numbers"]["judged"] == 12
    assert found["numbers"]["relevant"] == crawl.figures.harvest.relevant
    assert found["curve"]["pages"] == [0, 5, 12]
    crawl.close()
    assert seen(tmp_path)["curve"]["pages"] == [0, 5, 12]


def test_rates_are_those_of_the_last_half_minute_and_of_one_run() -> None:
    def point(at: float, run: int, pages: int, revisits: int = 0) -> picture.Point:
        return {"at": at, "run": run, "pages": pages, "revisits": revisits}

    points = [point(0, 0, 0), point(10, 0, 20), point(45, 0, 55, 35), point(60, 0, 60, 35)]
    points += [point(1000, 1, 60), point(1010, 1, 110)]
    assert picture._rates(points) == [None, 2, 2, pytest.approx(75 / 50), None, 5]


def test_a_crawl_that_waits_has_the_speed_of_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = small_watched_crawl(tmp_path)
    crawl.backend.commit()
    assert seen(tmp_path)["numbers"]["pages_per_second"] > 0
    later = time.time() + 31
    monkeypatch.setattr(picture.time, "time", lambda: later)
    assert seen(tmp_path)["numbers"]["pages_per_second"] == 0
    crawl.close()
    assert seen(tmp_path)["numbers"]["pages_per_second"] is None


def test_of_a_crawl_without_snapshots_the_latest_pages_are_shown(tmp_path: Path) -> None:
    small_crawl(tmp_path).close()
    found = seen(tmp_path)
    numbers = {name: value for name, value in found["numbers"].items() if value is not None}
    assert numbers == {"known": 8}
    assert found["curve"]["at"] == found["hosts"] == []
    assert len(found["latest"]) == 3


def test_a_page_that_is_judged_anew_stays_in_its_place_and_is_listed_once(tmp_path: Path) -> None:
    crawl = small_watched_crawl(tmp_path)
    crawl.close()
    with Pictures(tmp_path) as pictures, closing(sqlite3.connect(tmp_path / FILE_NAME)) as store:
        before = [page["url"] for page in pictures.picture()["latest"]]
        columns = [row[1] for row in store.execute("PRAGMA table_info(pages)") if row[1] != "seq"]
        names = ", ".join(columns)
        judged = ", ".join("0.125" if one == "relevance" else one for one in columns)
        first = "SELECT id FROM pages ORDER BY seq LIMIT 1"
        store.execute(
            f"INSERT INTO pages ({names}) SELECT {judged} FROM pages WHERE id = ({first})"
        )
        store.commit()
        latest = pictures.picture()["latest"]
    assert [page["url"] for page in latest] == before
    assert latest[-1]["relevance"] == 0.125


def test_the_text_of_a_long_topic_is_cut(tmp_path: Path) -> None:
    small_watched_crawl(tmp_path, topic="pages " * 9999).close()
    assert len(seen(tmp_path)["topic"]) == 500


def test_a_crawl_that_has_not_begun_has_an_empty_picture(tmp_path: Path) -> None:
    with Store.open(tmp_path), Pictures(tmp_path) as pictures:
        found = pictures.picture()
        assert found["running"]
        assert (found["started"], found["latest"], found["numbers"]["pages"]) == (None, [], None)
        assert found.keys() == _keys(tmp_path)
    with pytest.raises(StoreMissingError):
        Pictures(tmp_path / "elsewhere")


def _keys(tmp_path: Path) -> Any:
    small_watched_crawl(tmp_path / "other").close()
    return seen(tmp_path / "other").keys()


def test_a_store_of_another_version_is_refused(tmp_path: Path) -> None:
    small_crawl(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute("PRAGMA user_version = 6")
    with pytest.raises(StoreVersionError):
        Pictures(tmp_path)


def test_another_crawl_in_its_place_is_shown_from_its_beginning(tmp_path: Path) -> None:
    small_watched_crawl(tmp_path / "one").close()
    crawl = WatchedCrawl(tmp_path / "two", wide_web(60, 3), strategy="bfs", topic="others")
    crawl.seed(FIRST)
    crawl.run(8)
    crawl.close()
    with Pictures(tmp_path / "one") as pictures:
        pictures.picture()
        shutil.rmtree(tmp_path / "one")
        (tmp_path / "two").rename(tmp_path / "one")
        found = pictures.picture()
    assert (found["topic"], found["numbers"]["pages"]) == ("others", 8)
    assert steady(found) == steady(seen(tmp_path / "one"))


def test_who_watches_leaves_nothing_beside_a_crawl_that_ends(tmp_path: Path) -> None:
    crawl = small_watched_crawl(tmp_path)
    with Pictures(tmp_path) as pictures:
        crawl.backend.commit()
        pictures.picture()
        crawl.close()
        assert {path.name for path in tmp_path.iterdir()} == {FILE_NAME, "frontier.lock"}
        pictures.picture()
        assert {path.name for path in tmp_path.iterdir()} == {FILE_NAME, "frontier.lock"}


def test_several_threads_may_ask(tmp_path: Path) -> None:
    small_watched_crawl(tmp_path).close()
    found: list[Any] = []
    with Pictures(tmp_path) as pictures:
        asks = [lambda: pictures.picture(), lambda: pictures.host("a.example"), pictures.map]
        threads = [Thread(target=lambda ask=ask: found.append(ask())) for ask in asks * 5]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(found) == 15


def test_words_of_the_topic_in_titles_and_link_texts_are_named(tmp_path: Path) -> None:
    crawl = small_watched_crawl(tmp_path, topic="Page trains")
    fitted_topic(crawl.config, crawl.backend, [], [])
    crawl.close()
    (page, *_) = seen(tmp_path)["latest"]
    assert page["words"][0]["name"] == "page"
    assert page["words"][0]["value"] > 0


def test_labels_that_came_after_the_crawl_count_for_its_harvest_rate(tmp_path: Path) -> None:
    web = wide_web(60, 3)
    crawl = WatchedCrawl(tmp_path, web, strategy="bfs", topic="pages")
    crawl.seed(FIRST)
    crawl.run(20)
    crawl.close()
    with Store.open(tmp_path) as store:
        pages = [row for row in stored_urls(store) if store.fetched_at(row.url_id) is not None]
        for row in pages:
            store.keep_sample(Sample(row.url_id, 0.5, "a text"))
    append_labels(tmp_path, [Label(row.url, True) for row in pages])
    rate = seen(tmp_path)["estimates"]["harvest_rate"]
    assert (rate["estimate"], rate["labelled"]) == (1.0, 20)


def test_changes_of_pages_that_are_revisited_are_listed(tmp_path: Path) -> None:
    revisits = (
        revisited(0, (0, 200, Change.NEW), (3, 200, Change.CHANGED), share=0.5),
        revisited(1, (0, 200, Change.NEW), (3, 200, Change.UNCHANGED)),
    )
    found = seen(revisited_crawl(tmp_path, *revisits))
    assert {one["url"]: one["change"] for one in found["latest"]} == {
        A: "changed",
        B: "unchanged",
        C: None,
    }
    (change,) = found["changes"]
    assert change == found["latest"][2]


def test_a_host_has_its_best_and_its_latest_pages(tmp_path: Path) -> None:
    crawl = WatchedCrawl(tmp_path, wide_web(300, 2), strategy="bfs", topic="pages")
    crawl.seed(FIRST)
    crawl.run(250)
    crawl.close()
    with Pictures(tmp_path) as pictures:
        found, nobody = pictures.host("host0.example"), pictures.host("nobody.example")
    with StoreReader.open(tmp_path) as reader:
        of_host = [one for one in reader.load().hosts.tolist() if one == 1]
    assert 50 < found["pages"] <= len(of_host)
    best, latest = (
        [one[name] for one in found[kind]]
        for kind, name in (("best", "relevance"), ("latest", "fetched"))
    )
    assert (len(best), len(latest)) == (50, 50)
    assert best == [0.75] * len([one for one in best if one == 0.75]) + [0.25] * best.count(0.25)
    assert latest == sorted(latest, reverse=True)
    assert all(one["url"].startswith("http://host0.example/") for one in found["best"])
    assert (nobody["pages"], nobody["best"], nobody["latest"]) == (0, [], [])


def test_the_map_holds_the_best_pages_and_the_links_among_them(tmp_path: Path) -> None:
    web = wide_web(100, 3)
    for url, page in web.items():
        page.links[url] = 0.5  # to itself
    crawl = WatchedCrawl(tmp_path, web, strategy="ppr", topic="pages", rerank_min_pages=5)
    crawl.seed(FIRST)
    crawl.run(50)
    crawl.close()
    with Pictures(tmp_path) as pictures:
        found = pictures.map(10)
    pages, scores = found["pages"], [one["score"] for one in found["pages"]]
    assert len(pages) == 10
    assert scores == sorted(scores, reverse=True)
    with StoreReader.open(tmp_path) as reader:
        all_scores = reader.load_array("scores:score")[1]  # type: ignore[index]
        fetched = [row.url_id for row in stored_urls(reader) if row.url in crawl.fetched]
    assert scores == sorted(all_scores[fetched].tolist(), reverse=True)[:10]
    urls = [one["url"] for one in pages]
    expected = {
        (urls.index(one), urls.index(other))
        for one in urls
        for other in web[one].links
        if other in urls and other != one
    }
    assert {tuple(link) for link in found["links"]} == expected
    assert len(found["links"]) == len(expected) > 0


def test_without_scores_the_map_holds_the_latest_pages(tmp_path: Path) -> None:
    small_crawl(tmp_path).close()
    with Pictures(tmp_path) as pictures:
        found = pictures.map(2)
    assert [(one["url"], one["score"]) for one in found["pages"]] == [(C, None), (B, None)]
    assert found["links"] == [[0, 1], [1, 0]]


def test_a_url_is_explained_as_the_command_explains_it(tmp_path: Path) -> None:
    small_crawl(tmp_path).close()
    with Pictures(tmp_path) as pictures, CrawlView.open(tmp_path) as view:
        assert pictures.url("b.example") == view.explain(B, picture.EXPLAINED).as_dict()
        with pytest.raises(UnknownUrlError, match="none of its"):
            pictures.url("-x")
