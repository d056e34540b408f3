from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.children import BenchmarkError
from benchmarks.webs import digitalgov
from benchmarks.webs.digitalgov import build
from benchmarks.webs.writing import Web
from tests.support.webs import by_url, clone, text_at, written

DIGITAL, BLOG = "http://digitalgov.example", "http://18f.gsa.example"
GUIDES, PLAIN = "http://guides.18f.example", "http://plainlanguage.example"
DESIGN = "http://designsystem.digitalgov.example"


def _news(number: int, text: str = "Text.", more: str = "") -> str:
    return (
        f"---\nslug: post-{number}\ndate: 2015-07-{number:02} 1:46:00 -0400\ntitle: Post {number}\n"
        f"summary: What {number} says\ntopics:\n  - zzlabel\nauthors:\n  - ann\n{more}---\n{text}\n"
    )


LINKS = """
[a]({{< ref "2015-07-02-two.md" >}}) [b](https://18f.gsa.gov/2016/01/02/shipping/)
[c](https://www.plainlanguage.gov/guidelines/words) [d](https://elsewhere.example.org/)
[e](/files/slides.pdf) [f](https://methods.18f.gov/interviews/) {{< youtube "x" >}}
{{< button href="https://designsystem.digital.gov/components/button/" text="Press" >}}
"""
FILES = {
    "digitalgov.gov": {
        "themes/digital.gov/README.md": "x",
        "content/news/2015/07/2015-07-01-one.md": _news(1, LINKS, "aliases:\n  - /old-one\n"),
        **{
            f"content/news/2015/07/2015-07-{n:02}-{'two' if n == 2 else n}.md": _news(n)
            for n in range(2, 26)
        },
        "content/news/2015/07/2015-07-27-draft.md": "---\ntitle: Draft\ndraft: true\n---\nX",
        "content/resources/left.md": "---\ntitle: L\nredirectto: https://18f.gsa.gov/blog/\n---\n",
        "content/topics/zzlabel/_index.md": "---\ntitle: Zz\ndeck: Sleeping well\n---\n",
        "content/authors/ann/_index.md": "---\ndisplay_name: Ann Other\nslug: ann\n---\n",
    },
    "18f.gsa.gov": {
        "content/posts/2016-01-02-shipping.md": "---\ntitle: Shipping\ntags:\n- zzlabel\n---\n"
        'See [it]({{ "/about/" | url }}) {% image "a.png" %}{% for x in y %}junk{% endfor %}',
        "content/pages/about.md": "---\ntitle: About\npermalink: /about/\n---\nWho we are.",
    },
    "guides": {
        "content/derisking/a.md": "---\ntitle: Risk\npermalink: /derisking/\n---\nBuy less.",
        "content/methods/i.md": "---\ntitle: Interviews\npermalink: /methods/interviews/\n---\n",
    },
    "uswds-site": {
        "_components/button/button.md": "---\ntitle: Button\npermalink: /components/button/\n---\n",
        "_components/button/guidance/when.md": "Use buttons to [act]({{ site.baseurl }}/x/).",
    },
    "plainlanguage.gov": {
        "_pages/guidelines/words/index.md": "---\ntitle: W\n---\n[t]({% link _pages/test.md %})",
        "_pages/test.md": "---\ntitle: Test\n---\nTest it.",
    },
}


@pytest.fixture(scope="module")
def clones(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("clones")
    return [clone(folder / name, files) for name, files in FILES.items()]


@pytest.fixture(scope="module")
def web(clones: list[Path]) -> Web:
    return build(clones)


def test_links_across_hosts_are_kept_and_those_out_of_the_web_are_not(web: Web) -> None:
    html = text_at(web, f"{DIGITAL}/2015/07/01/post-1/")
    for to in (
        f"{DIGITAL}/2015/07/02/post-2/",
        f"{BLOG}/2016/01/02/shipping/",
        f"{PLAIN}/guidelines/words",
        f"{GUIDES}/methods/interviews/",
        f"{DESIGN}/components/button/",
    ):
        assert f'href="{to}"' in html
    assert "elsewhere" not in html
    assert "slides" not in html
    assert "{{" not in html


def test_tags_of_templates_are_resolved_or_dropped(web: Web) -> None:
    html = text_at(web, f"{BLOG}/2016/01/02/shipping/")
    assert f'href="{BLOG}/about/"' in html
    assert "junk" not in html
    assert "{%" not in html
    assert f'href="{PLAIN}/test/"' in text_at(web, f"{PLAIN}/guidelines/words/")
    assert "Use buttons" in text_at(web, f"{DESIGN}/components/button/")


def test_old_addresses_redirect(web: Web) -> None:
    found = by_url(web)
    moved = {url: dict(one.headers)["Location"] for url, one in found.items() if one.status == 301}
    assert moved[f"{DIGITAL}/old-one/"] == f"{DIGITAL}/2015/07/01/post-1/"
    assert moved[f"{DIGITAL}/resources/left/"] == f"{BLOG}/blog/"
    assert moved[f"{PLAIN}/guidelines/words"] == f"{PLAIN}/guidelines/words/"
    assert not [url for url in found if "draft" in url]


def test_listings_come_in_pages_and_hold_every_entry(web: Web) -> None:
    first, second = (text_at(web, f"{DIGITAL}/news/{part}") for part in ("", "page/2/"))
    assert (first.count("<h2>"), second.count("<h2>")) == (20, 5)
    assert f'href="{DIGITAL}/news/page/2/"' in first
    assert f"{DIGITAL}/topics/zzlabel/page/2/" in by_url(web)
    assert f"{DIGITAL}/authors/ann/" in by_url(web)


def test_labels_are_of_pages_with_texts_and_stand_on_none_of_them(web: Web) -> None:
    labelled = [url for url, topic in web.labels if topic == "zzlabel"]
    assert len(labelled) == 26
    assert not [url for url in labelled if "zzlabel" in text_at(web, url).lower()]
    assert not [url for url, _ in web.labels if "/topics/" in url or "/news/" in url]
    assert web.keywords == {"zzlabel": "zzlabel sleeping well"}


def test_seeds_are_the_five_home_pages(web: Web) -> None:
    assert [*web.seeds] == [f"{host}/" for host in (DIGITAL, BLOG, DESIGN, GUIDES, PLAIN)]
    assert {by_url(web)[url].status for url in web.seeds} == {200}


def test_the_same_clones_give_the_same_bytes(clones: list[Path], web: Web, tmp_path: Path) -> None:
    files = written(web, tmp_path / "one")
    assert written(build(clones[::-1]), tmp_path / "two") == files
    about = json.loads(files["digitalgov.json"])
    assert [one["date"] for one in about["made of"]] == ["2024-01-02"] * 5
    assert about["pages"] == sum(one.is_page for one in web.answers)
    assert about["topics"] == 1


def test_a_clone_that_is_missing_or_none_is_named(clones: list[Path], tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="guides"):
        build([one for one in clones if one.name != "guides"])
    with pytest.raises(BenchmarkError, match="clone"):
        build([tmp_path])
    other = clone(tmp_path / "other", {"README.md": "x"})
    with pytest.raises(BenchmarkError, match="other"):
        build([other])


def test_a_topic_has_so_many_pages_at_least(web: Web) -> None:
    sizes = [topic for _, topic in web.labels]
    assert all(sizes.count(topic) >= digitalgov.FEWEST for topic in sizes)
