"""Small clones, indexes and books, of which webs are built in tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from benchmarks.webs.writing import Answer, Web, page, write_web
from frontier.web.recorded_web import RecordedWeb

_NOBODY = {
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@a.example",
    "GIT_AUTHOR_DATE": "2024-01-02T00:00:00Z",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@a.example",
    "GIT_COMMITTER_DATE": "2024-01-02T00:00:00Z",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


def clone(folder: Path, files: Mapping[str, str]) -> Path:
    """A repository with one commit."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "All"]):
        subprocess.run(["git", *words], cwd=folder, check=True, env={**os.environ, **_NOBODY})
    return folder


def page_with(url: str, *links: str, text: str = "") -> Answer:
    """A page that says little and links to others."""
    shown = "".join(f'<a href="{to}">to {number}</a> ' for number, to in enumerate(links))
    return page(url, f"<html><head><title>{url}</title></head><body>{text}{shown}</body></html>")


def by_url(web: Web) -> dict[str, Answer]:
    """The answers of a web; each URL is answered once."""
    found = {one.url: one for one in web.answers}
    assert len(found) == len(web.answers)
    return found


def text_at(web: Web, url: str) -> str:
    """HTML of a page."""
    return by_url(web)[url].body.decode()


def written(web: Web, folder: Path) -> dict[str, bytes]:
    """The files of a web."""
    write_web(web, folder)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def statuses(recording: Path) -> dict[str, int]:
    """URL -> status, of a recording."""
    web = RecordedWeb([recording])
    return {url: web.read(url).status for url in web.urls()}
