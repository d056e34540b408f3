"""No spreadsheet computes what a page wrote."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.export import export_crawl
from frontier.export.tables import ColumnKind, ExportColumn, write_csv
from tests.support.driven_crawl import A, DrivenCrawl, Page

FORMULAS = [
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\t=1+1",
    "\r=1+1",
    " =1+1",
    "＝1+1",
    "＋1",
    "－1",
    "＠x",
    'a",=1+1',
    "a;=1+1",
    "a\t=1+1",
    "a\n=1+1",
]
TEXT, REAL, COUNT = (
    ExportColumn("text", ColumnKind.TEXT),
    ExportColumn("x", ColumnKind.REAL),
    ExportColumn("n", ColumnKind.INTEGER),
)
DANGEROUS = re.compile(r"\s*[=+\-@\t\r\n＝＋－＠]")


def cells(*rows: tuple[object, ...]) -> list[list[str]]:
    file = io.BytesIO()
    write_csv(file, (TEXT, REAL, COUNT), rows)  # type: ignore[arg-type]  # any values
    return list(csv.reader(io.StringIO(file.getvalue().decode(), newline="")))[1:]


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_cell_begins_as_a_formula_does(formula: str) -> None:
    [[text, _, _]] = cells((formula, None, None))
    assert not DANGEROUS.match(text)
    assert text.replace("'", "") == formula.replace("'", "").replace("\r", "\n")


@given(st.text(alphabet="=+-@\t\r\n,;|\"' a1＝＠", max_size=12), st.sampled_from(",;\t|"))
def test_whichever_separator_a_reader_takes_and_whether_it_heeds_quotes(
    text: str, separator: str
) -> None:
    file = io.BytesIO()
    write_csv(file, (TEXT,), [(text,)])
    written = file.getvalue().decode().partition("\n")[2]
    for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_NONE):
        reader = csv.reader(io.StringIO(written, newline=""), delimiter=separator, quoting=quoting)
        for row in reader:
            assert not [cell for cell in row if re.match(r"[=+\-@＝＠]", cell)], written


def test_numbers_stay_numbers_and_ordinary_texts_what_they_are() -> None:
    assert cells(("'Birds' - a page, of 3", -1.5, -3), (None, 1e-9, 0)) == [
        ["'Birds' - a page, of 3", "-1.5", "-3"],
        ["", "1e-09", "0"],
    ]
    url = "http://a.example/?q=1&r=-2+3;x=@y"
    assert cells((url, None, None))[0][0] == url


def test_an_export_is_safe(tmp_path: Path) -> None:
    crawl = DrivenCrawl(tmp_path / "job", {A: Page(title="=1+1|cmd")}, strategy="bfs")
    crawl.seed(A)
    crawl.run(1)
    crawl.close()
    nodes, _ = export_crawl(tmp_path / "job", "csv", tmp_path / "x.csv").files
    assert ",'=1+1|cmd," in nodes.read_text()
