"""The focused spider in a real process, against a real server."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from frontier.inspection import CrawlView
from frontier.web.demo import DEMO_SEEDS, DEMO_TOPIC, demo_web
from frontier.web.serving import WebServer
from tests.support.scrapy_runs import Run, run_focused
from tests.support.sites import links, redirect, serving
from tests.support.told import tells

TOPIC = ("-a", "topic=telescopes planets")
FIELDS = {
    *("url", "final_url", "title", "status", "depth", "fetched_at", "relevance", "score"),
    *("referrer", "anchor", "text_length", "content_hash", "duplicate_of"),
    *("change", "previous_fetch", "changed_share"),
}


def about(words: str, *targets: str) -> str:
    return links(*targets, text=f"{words}. All of this is about {words}. " * 8, title=words)


WEB = {
    "/": about("a portal", "/soup", "/moved"),
    "/soup": about("soup", "/"),
    "/moved": redirect("/sky", 301),
    "/sky": about("telescopes and planets", "/gone", "/picture"),
    "/gone": (410, {}, b"gone"),
    "/picture": (200, {"Content-Type": "image/png"}, b"\x89PNG"),
}


def written(title: str, text: str) -> str:
    return links(text=text, title=title)


LANGUAGES = {
    "/bahnhof": written(
        "Bahnhof",
        (
            "Ein Bahnhof ist eine Anlage, an der Züge beginnen, enden, kreuzen oder "
            "überholen. Am Bahnsteig steigen Reisende in den Zug, auf den Gleisen stehen "
            "Güterwagen."
        ),
    ),
    "/bahn": written(
        "Geschichte der Eisenbahn",
        (
            "Die erste Eisenbahn fuhr mit Dampf. Heute ziehen elektrische Lokomotiven die "
            "Züge der Eisenbahn über lange Strecken zwischen den Städten."
        ),
    ),
    "/kuchen": written(
        "Apfelkuchen",
        (
            "Für den Teig mischt man Mehl, Butter, Zucker und Eier. Die Äpfel werden "
            "geschält, in Scheiben geschnitten und mit Zimt belegt, dann backt der Kuchen im "
            "Ofen."
        ),
    ),
    "/spiel": written(
        "Fußball",
        (
            "Die Mannschaft gewann das Spiel mit drei Toren. Der Trainer lobte die Spieler, "
            "und die Zuschauer im Stadion feierten bis in die Nacht."
        ),
    ),
    "/tetsudo": written(
        "鉄道の歴史",
        (
            "最初の鉄道は蒸気で走った。今では電車や新幹線が都市の間を高速で結んでいる。鉄道は"
            "貨物も運ぶ。"
        ),
    ),
    "/shinkansen": written(
        "新幹線",
        ("新幹線は高速の列車である。東京と大阪の間を二時間半で走り、多くの乗客を運ぶ鉄道である。"),
    ),
    "/ringo": written(
        "りんごケーキ",
        (
            "小麦粉とバターと砂糖と卵を混ぜて生地を作る。りんごを薄く切って並べ、オーブンで焼"
            "くとおいしいケーキになる。"
        ),
    ),
    "/senkyo": written("選挙", ("国民は新しい議会の選挙で投票した。政府は多くの票を失った。")),
}
"""A station, railways, a cake, a game; railways, a fast one, a cake, an election."""
GERMAN, JAPANESE = {"/bahnhof", "/bahn"}, {"/tetsudo", "/shinkansen"}


@pytest.mark.parametrize(
    ("topic", "vectors", "relevant"), [("Züge", "auto", GERMAN), ("鉄道", "auto", JAPANESE)]
)
def test_pages_are_judged_in_the_language_of_the_topic(
    tmp_path: Path, topic: str, vectors: str, relevant: set[str]
) -> None:
    run, relevance = judged_pages(tmp_path, topic, vectors)
    assert {path for path in relevance if relevance[path] >= 0.5} == relevant
    assert tells(run.stdout, "judged relevant", "2 of 9")
    listed = run.stdout.partition("Most relevant pages")[2].splitlines()[1:3]
    assert {line.split()[1].rpartition("/")[2] for line in listed} == {one[1:] for one in relevant}


def test_a_topic_finds_pages_of_other_languages_that_are_named(tmp_path: Path) -> None:
    _, relevance = judged_pages(tmp_path, "railway", "multilingual:en,de,ja")
    assert set(sorted(LANGUAGES, key=relevance.__getitem__)[4:]) == GERMAN | JAPANESE
    assert min(relevance[path] for path in GERMAN | JAPANESE) > 0.1
    assert max(relevance[path] for path in LANGUAGES.keys() - GERMAN - JAPANESE) < 0.1


def judged_pages(folder: Path, topic: str, vectors: str) -> tuple[Run, dict[str, float]]:
    with serving({"/": links(*LANGUAGES, title="a portal"), **LANGUAGES}) as site:
        given = "-a", f"seeds={site.url}/", "-a", f"topic={topic}"
        run = run_focused(folder, *given, "-s", f"FRONTIER_VECTORS={vectors}")
        return run, {item["url"].removeprefix(site.url): item["relevance"] for item in run.items}


def test_an_item_says_all_that_is_promised_of_a_page(tmp_path: Path) -> None:
    with serving(WEB) as site:
        run = run_focused(tmp_path, "-a", f"seeds={site.url}/", *TOPIC)
        items = {item["url"].removeprefix(site.url): item for item in run.items}
        root = site.url
    assert run.returncode == 0
    assert set(items) == {"/", "/soup", "/moved", "/picture"}
    sky = items["/moved"]
    assert set(sky) == FIELDS
    assert sky["final_url"] == root + "/sky"
    assert sky["title"] == "telescopes and planets"
    assert sky["status"] == 200
    assert sky["depth"] == 1
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", sky["fetched_at"])
    assert sky["relevance"] > 0.5 > items["/soup"]["relevance"]
    assert sky["referrer"] == root + "/"
    assert sky["anchor"] == "/moved"
    assert re.fullmatch(r"[0-9a-f]{32}", sky["content_hash"])
    assert sky["text_length"] > 100
    assert items["/"]["referrer"] is None
    assert items["/"]["anchor"] is None
    assert items["/picture"]["relevance"] < 0.01


def test_items_of_copies_name_what_they_are_copies_of_and_the_summary_counts_them(
    tmp_path: Path,
) -> None:
    words = [f"word{n}" for n in range(400)]
    article = f"telescopes and planets {' '.join(words)}"
    changed = f"telescopes and planets {' '.join([*words[:395], 'an', 'other', 'end'])}"

    def page(text: str, head: str = "") -> str:
        return f"<html><head><title>planets</title>{head}</head><body>{text}</body></html>"

    web = {
        "/": about("soup", "/first", "/same", "/near", "/print", "/moved"),
        "/first": page(article),
        "/same": page(article),
        "/near": page(changed),
        "/print": page("telescopes and planets for a printer", '<link rel=canonical href="/own">'),
        "/own": page("telescopes and planets on a screen"),
        "/moved": redirect("/soup"),
        "/soup": about("onion soup"),
    }
    job = ("-s", f"JOBDIR={tmp_path / 'job'}", "-s", "FRONTIER_SUMMARY=1")
    with serving(web) as site:
        run = run_focused(tmp_path, "-a", f"seeds={site.url}/,{site.url}/own", *TOPIC, *job)
        items = {item["url"].removeprefix(site.url): item for item in run.items}
        with CrawlView.open(tmp_path / "job") as view:
            for path, item in items.items():
                stored = view.url(item["final_url"])
                assert item["duplicate_of"] == stored.twin, path
                assert item["relevance"] == pytest.approx(stored.relevance), path
        root = site.url
    copies = {path: item["duplicate_of"] for path, item in items.items() if item["duplicate_of"]}
    originals = {"/first", "/same", "/near"} - set(copies)
    assert len(originals) == 1
    assert copies.pop("/print") == f"{root}/own"
    assert set(copies.values()) == {root + path for path in originals}
    assert sorted(items[path]["relevance"] for path in copies) == [0.0, 0.0]
    told = [" ".join(line.split()) for line in run.stdout.splitlines()]
    # Which of the three is fetched first, and so is no copy, is a matter of the order.
    assert tells(told, "pages fetched", len(items) - 1, "2 duplicates")
    assert tells(told, "answers", f"{len(items) - 1} pages", "1 merged", "1 redirect")


def test_seeds_may_be_a_file_and_bad_lines_are_named_and_skipped(tmp_path: Path) -> None:
    with serving(WEB) as site:
        seeds = tmp_path / "seeds.txt"
        seeds.write_text(
            f"# where to start\n\n{site.url}/soup  # lunch\nnot a url\n"
            f"ftp://example.org/\n{site.url}/soup\n"
        )
        run = run_focused(tmp_path, "-a", f"seeds={seeds}", *TOPIC, "-s", "DEPTH_LIMIT=1")
        assert site.paths == ["/soup", "/"]
    assert tells(run.log, "line 4", "not a url")
    assert tells(run.log, "line 5", "ftp://example.org/")
    assert run.stats["frontier/seeds/skipped"] == 2


def test_examples_are_learned_from_first_and_counted_apart(tmp_path: Path) -> None:
    pages = {
        "/robots.txt": (200, {}, b"User-agent: *\nDisallow: /secret"),
        "/": links("/boletus", "/cars"),
        "/boletus": about("boletus chanterelle mycelium spores"),
        "/cars": about("engine gearbox tyres"),
        "/example": about("chanterelle and boletus grow from mycelium by spores"),
        "/secret": about("never read"),
    }
    (tmp_path / "wanted.txt").write_text("A boletus sheds spores; its mycelium lives on. " * 5)
    listing = tmp_path / "examples.txt"
    with serving(pages) as site:
        listing.write_text(
            f"{site.url}/example\nwanted.txt\n{site.url}/none\n{site.url}/secret\nlost.txt\n"
        )
        job = ("-s", f"JOBDIR={tmp_path / 'job'}")
        seeds = ("-a", f"seeds={site.url}/", "-a", f"examples={listing}")
        run = run_focused(tmp_path, *seeds, *job, "-s", "CLOSESPIDER_ITEMCOUNT=2")
        assert site.paths[:2] == ["/example", "/none"]
        assert site.paths[2:4] == ["/", "/boletus"]
        assert "/secret" not in site.paths
        again = run_focused(tmp_path, *seeds, *job)
        assert site.paths.count("/example") == 1, "a resumed crawl knows its topic"
    assert run.stats["frontier/examples/used"] == 2
    assert run.stats["frontier/examples/failed"] == 3
    assert "lost.txt" in run.log
    items = {item["url"].removeprefix(site.url): item for item in run.items + again.items}
    assert set(items) == {"/", "/boletus", "/cars"}
    assert items["/boletus"]["relevance"] > 0.5 > items["/cars"]["relevance"]


def test_pages_like_the_unwanted_examples_are_not_relevant(tmp_path: Path) -> None:
    pages = {
        "/": links("/boletus", "/recipe"),
        "/boletus": about("boletus chanterelle mycelium spores forest"),
        "/recipe": about("boletus butter onion pan parsley"),
        "/kitchen": about("chanterelle butter onion pan parsley"),
    }
    (tmp_path / "soup.txt").write_text("Melt butter in a pan, add onion and parsley. " * 5)
    (tmp_path / "no.txt").write_text("soup.txt\nlost.txt\n")
    with serving(pages) as site:
        run = run_focused(
            tmp_path,
            *("-a", f"seeds={site.url}/", "-a", "topic=boletus chanterelle"),
            *("-a", f"not_examples={tmp_path / 'no.txt'}"),
        )
    assert run.stats["frontier/examples/used"] == 1
    assert run.stats["frontier/examples/failed"] == 1
    assert "lost.txt" in run.log
    items = {item["url"].removeprefix(site.url): item for item in run.items}
    assert items["/boletus"]["relevance"] > 0.5 > items["/recipe"]["relevance"]


def crawl_demo(folder: Path, *arguments: str) -> list[str]:
    """URLs of the demonstration web in the order fetched."""
    with WebServer(demo_web()) as server:
        run = run_focused(
            folder, "-a", f"seeds={DEMO_SEEDS[0]}", "-a", f"topic={DEMO_TOPIC}",
            "-s", "CLOSESPIDER_PAGECOUNT=120", *arguments, proxy=server.url,
        )  # fmt: skip
    return [item["final_url"] for item in run.items]


@pytest.fixture(scope="module")
def focused(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What a focused crawl of the demonstration web fetches, in its order."""
    return crawl_demo(tmp_path_factory.mktemp("focused"))


def test_the_same_web_settings_and_seed_give_the_same_order_twice(
    focused: list[str], tmp_path: Path
) -> None:
    assert len(focused) > 80
    assert crawl_demo(tmp_path) == focused


def test_the_focused_order_finds_the_topic_sooner_than_breadth_first(
    focused: list[str], tmp_path: Path
) -> None:
    topics = Path(__file__).with_name("demo.topics.tsv").read_text().splitlines()
    wanted = {line.partition("\t")[0] for line in topics if line.endswith("\tastronomy")}

    def found(order: list[str]) -> int:
        return len(wanted.intersection(order[:80]))

    assert found(focused) > 1.2 * found(crawl_demo(tmp_path, "-a", "strategy=bfs"))
    assert found(focused) > 55
