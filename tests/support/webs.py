"""Small webs that are built in tests."""

from __future__ import annotations

from pathlib import Path

from benchmarks.webs.writing import Answer, page
from frontier.web.recorded_web import RecordedWeb


def page_with(url: str, *links: str, text: str = "") -> Answer:
    """A page that says little and links to others."""
    shown = "".join(f'<a href="{to}">to {number}</a> ' for number, to in enumerate(links))
    return page(url, f"<html><head><title>{url}</title></head><body>{text}{shown}</body></html>")


def statuses(recording: Path) -> dict[str, int]:
    """URL -> status, of a recording."""
    web = RecordedWeb([recording])
    return {url: web.read(url).status for url in web.urls()}
