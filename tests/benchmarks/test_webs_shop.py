from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.children import BenchmarkError
from benchmarks.webs.links import targets
from benchmarks.webs.shop import HOME, build
from benchmarks.webs.writing import Web
from tests.support.webs import by_url, text_at

COUNT = 60


def _index() -> str:
    return "\n".join(
        f"Package: pack{n}\nVersion: {n}.0\nInstalled-Size: {n}\n"
        "Maintainer: Ann Other <ann@x.example>\n"
        f"Section: science\nSize: {n * 5000}\nDepends: pack{n + 1} (>= 1), libc6 | pack{n + 2}\n"
        f"Suggests: pack{n + 3}\nTag: field::astronomy, role::program,\n use::learning\n"
        for n in range(COUNT)
    )


def _descriptions() -> str:
    return "\n".join(
        f"Package: pack{n}\nDescription-md5: 0\nDescription-en: looks at stars, {n}\n"
        f" Comets <and> telescopes of kind{n // 4}kind.\n .\n A second part.\n"
        for n in range(COUNT)
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("index")
    index, descriptions = folder / "Packages", folder / "Translation-en"
    index.write_text(_index(), encoding="utf-8")
    descriptions.write_text(_descriptions(), encoding="utf-8")
    return index, descriptions


@pytest.fixture(scope="module")
def web(files: tuple[Path, Path]) -> Web:
    return build(*files, COUNT - 10)


def test_an_article_has_its_description_facts_and_links(web: Web) -> None:
    names = {url.rpartition("/")[2] for url, _ in web.labels}
    number = next(n for n in range(COUNT) if {f"pack{n + m}" for m in range(4)} <= names)
    html = text_at(web, f"{HOME}article/pack{number}")
    assert "<p>Comets &lt;and&gt; telescopes" in html
    assert f"{number * 5000:,} bytes" in html
    led = {*targets(f"{HOME}article/pack{number}", html.encode())}
    assert {f"{HOME}article/pack{number + m}" for m in (1, 2, 3)} <= led
    assert {f"{HOME}maker/ann-other", f"{HOME}section/science"} <= led


def test_labels_are_tags_that_no_page_shows(web: Web) -> None:
    assert {topic for _, topic in web.labels} == {"field.astronomy", "use.learning"}
    assert len({url for url, _ in web.labels}) == COUNT - 10
    said = " ".join(one.body.decode().lower() for one in web.answers)
    for tag in ("astronomy", "learning", "role", "::"):
        assert tag not in said


def test_sections_are_listed_in_pages_by_name_and_size(web: Web) -> None:
    found = by_url(web)
    pages = [url for url in found if url.startswith(f"{HOME}section/science")]
    assert f"{HOME}section/science?page=3" in pages
    assert f"{HOME}section/science?only=small&sort=size" in pages
    html = text_at(web, f"{HOME}section/science?page=2")
    assert f"{HOME}section/science?page=3" in targets(HOME, html.encode())
    listed = {to for url in pages for to in targets(url, found[url].body) if "/article/" in to}
    assert listed == {url for url, _ in web.labels}


def test_no_link_leads_nowhere(web: Web) -> None:
    found = by_url(web)
    assert {to for url, one in found.items() for to in targets(url, one.body)} <= found.keys()


def test_an_index_that_nothing_describes_is_refused(files: tuple[Path, Path]) -> None:
    with pytest.raises(BenchmarkError, match="describes"):
        build(files[0], files[0])
    with pytest.raises(BenchmarkError, match="missing"):
        build(files[0], files[0].with_name("missing"))
