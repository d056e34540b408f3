"""Links and texts in the JSON of a page: what is plain is taken, what is none is left."""

from __future__ import annotations

import json

import pytest

from frontier.render.page_json import JsonLink, json_content

STATE = {
    "props": {
        "items": [
            {"title": "On comets", "href": "/articles/1", "image": "/img/1.png"},
            {"name": "On moons", "slug": "/articles/2"},
        ],
        "body": "A text of more than three words.",
        "next": "https://other.example/all?page=2",
        "theme": "/dark",
        "api": "/api/articles",
        "chunk": "/_next/static/a.js",
        "html": "<p>not a text of its own here</p>",
    }
}


@pytest.mark.parametrize(
    "script",
    [
        ("application/json", json.dumps(STATE)),
        ("application/ld+json", json.dumps([STATE])),
        ("", f"window.__STATE__ = {json.dumps(STATE)}; start()"),
        ("module", f'const a = 1; self["__DATA__"]={json.dumps(STATE)}'),
    ],
)
def test_addresses_under_names_for_them_and_texts_of_several_words_are_found(
    script: tuple[str, str],
) -> None:
    found = json_content(iter([script]))
    assert found.links == (
        JsonLink("/articles/1", "On comets"),
        JsonLink("/articles/2", "On moons"),
        JsonLink("https://other.example/all?page=2", ""),
    )
    assert found.texts == ("A text of more than three words.",)


@pytest.mark.parametrize(
    "script",
    [
        ("application/json", '{"href": "/a"'),
        ("application/json", "[" * 100_000),
        ("", "window.state = {href: '/a'}"),
        ("", "let state = {}"),
        ("application/json", ""),
    ],
)
def test_what_is_no_json_holds_nothing(script: tuple[str, str]) -> None:
    assert json_content(iter([script])) == ((), ())
