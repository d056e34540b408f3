"""The page of a report on a phone: nothing is cut, nothing scrolls sideways."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import html

from frontier.lab.report.page import page
from tests.frontier.lab.test_lab_report_outputs import ROWS, report_of
from tests.support.browser import needs_browser, seen_in_browser

PHONE = 390
LONG = "myproject.strategies.experimental:" + "VeryLongStrategyName" * 3
MEASURE = """
<script>
const page = document.documentElement, cut = [];
for (const one of document.querySelectorAll('body *')) {
  const box = one.getBoundingClientRect();
  const holds = [...one.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  const hidden = one.scrollWidth > one.clientWidth + 1
    && getComputedStyle(one).overflowX !== 'visible';
  if (box.width && (hidden || holds && (box.left < 0 || box.right > innerWidth)))
    cut.push(one.tagName + ' ' + one.textContent.slice(0, 40));
}
const texts = [...document.querySelectorAll('svg text')].map(
  one => one.getBoundingClientRect().height);
document.body.textContent = JSON.stringify({
  wide: innerWidth, scrolled: page.scrollWidth, cut, least: Math.min(...texts),
  dark: getComputedStyle(document.body).backgroundColor !== 'rgb(255, 255, 255)'});
</script>
"""
"""Puts into the page what it finds in it: texts that are cut, and the lowest of the charts'."""
FRAME = f"""<!DOCTYPE html>
<iframe src="report.html" width="{PHONE}" height="900" style="border: 0"></iframe><pre></pre>
<script>onload = () => {{
  document.querySelector('pre').textContent = frames[0].document.body.textContent }}</script>
"""


@needs_browser
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_is_cut_and_nothing_scrolls(tmp_path: Path, *, dark: bool) -> None:
    document = page(report_of(rows={**ROWS, LONG: "ph", "bfs-" + "x" * 60: "hp"}))
    document = document.replace("<details>", "<details open>").replace("http-equiv", "data-no")
    (tmp_path / "report.html").write_text(document.replace("</body>", f"{MEASURE}</body>"))
    # A window is never as narrow as a phone, but a frame is.
    (tmp_path / "phone.html").write_text(FRAME)
    scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
    seen = seen_in_browser(
        f"file://{tmp_path / 'phone.html'}", tmp_path, "--allow-file-access-from-files", scheme
    )
    found = json.loads(html.fromstring(seen).findtext(".//pre"))
    assert found["wide"] == PHONE
    assert found["scrolled"] <= PHONE
    assert found["cut"] == []
    assert found["least"] >= 10, "pixels"
    assert found["dark"] == dark
