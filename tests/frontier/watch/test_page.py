"""The page of a crawl: one document, nothing in it that the policy does not name."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from html import unescape
from pathlib import Path

import pytest

from frontier.watch.page import FOLDER, page_html
from tests.support.pictures import HOSTILE, HOSTILE_URLS, picture

BLOCK = re.compile(r"<(script|style)([^>]*)>(.*?)</\1>", re.DOTALL)
META = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
FILES = sorted(FOLDER.iterdir())


def blocks(html: str) -> list[tuple[str, str, str]]:
    return BLOCK.findall(html)


def data_of(html: str) -> object:
    (data,) = [text for _, attributes, text in blocks(html) if "json" in attributes]
    return json.loads(data)


def test_the_same_documents_make_the_same_bytes_and_are_in_them_unchanged() -> None:
    documents = [picture(titles=HOSTILE, urls=HOSTILE_URLS), picture()]
    html, policy = page_html(documents, live=False, title="Two crawls")
    assert (html, policy) == page_html(documents, live=False, title="Two crawls")
    assert data_of(html) == {"live": False, "crawls": 2, "documents": documents}
    html.encode()  # half a character is one that no file holds


@pytest.mark.parametrize("live", [True, False])
def test_the_policy_names_every_script_and_style_and_nothing_else(live: bool) -> None:
    html, policy = page_html(None if live else [picture()], live=live, title="A crawl")
    found: dict[str, set[str]] = {"script": set(), "style": set()}
    for tag, attributes, text in blocks(html):
        if "json" not in attributes:
            assert attributes == ""
            digest = b64encode(sha256(text.encode()).digest()).decode()
            found[tag].add(f"'sha256-{digest}'")
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert set(rules["script-src"].split()) == found["script"]
    assert len(found["script"]) == 3
    assert set(rules["style-src"].split()) == found["style"]
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert rules["frame-ancestors"] == "'none'"
    assert rules["img-src"] == "data:"
    assert rules.get("connect-src") == ("'self'" if live else None)
    (own,) = META.findall(html)
    assert unescape(own) == policy.removesuffix("; frame-ancestors 'none'")


def test_no_text_of_a_crawl_ends_its_block_or_begins_markup() -> None:
    quiet, _ = page_html([picture()], live=False, title="A crawl")
    html, _ = page_html(
        [picture(titles=HOSTILE, urls=HOSTILE_URLS)], live=False, title=HOSTILE[0] + HOSTILE[4]
    )
    assert re.sub(BLOCK, "", html).count("<") == re.sub(BLOCK, "", quiet).count("<")
    assert [block[:2] for block in blocks(html)] == [block[:2] for block in blocks(quiet)]
    assert not {"\u2028", "\u2029"} & set(html)


def test_nothing_is_run_from_an_attribute_or_made_from_a_text() -> None:
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", text), path
        assert not re.search(r"\beval\(|new Function", text), path
        assert path.suffix == ".html" or not re.search(r"</script|</style|<!--", text), path
    html = (FOLDER / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"\s(on\w+|style)=", html)


def test_it_asks_no_other_server() -> None:
    texts = [path.read_text(encoding="utf-8") for path in FILES if path.name != "LICENSE"]
    addresses = {one for text in texts for one in re.findall(r"https?://[\w./-]+", text)}
    # A namespace twice, and a comment of uPlot's.
    assert addresses == {"http://www.w3.org/2000/svg", "https://github.com/leeoniya/uPlot"}


def test_how_many_crawls_a_live_page_asks_for_stands_in_it() -> None:
    html, _ = page_html(None, True, "Two crawls", 2)
    assert data_of(html) == {"live": True, "crawls": 2, "documents": None}


def test_a_number_that_json_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        page_html([picture(now=float("nan"))], live=False, title="A crawl")


def test_every_file_of_the_page_is_shipped() -> None:
    project = Path(__file__).parents[3].joinpath("pyproject.toml").read_text(encoding="utf-8")
    assert '"watch/page/*"' in project
    assert '"frontier/watch/page/LICENSE"' in project
