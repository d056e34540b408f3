"""Pages with their texts as the tools that prepare training data read them, and as an archive."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from frontier.errors import RecordingError, StoreMissingError
from frontier.export.documents import METADATA, write_documents
from frontier.export.wacz import write_wacz
from ranking.errors import MissingExtraError
from tests.frontier.plugin.test_command_frontier import json_of
from tests.support.scrapy_runs import run_focused
from tests.support.sites import Site, links, serving

PAGES = {
    "/": f"<html lang=en><meta name=robots content=noai>{links('/a', '/b', '/c', text='comets')}",
    "/a": links(text="A tail of comets, é and 彗星.", title="Comets"),
    "/b": f"<meta name=robots content=noindex>{links(text='hidden comets')}",
    "/c": (200, {"Content-Type": "text/plain"}, b""),
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Site]:
    """A folder with a crawl that kept texts (job), one that did not (bare), and its recording."""
    folder = tmp_path_factory.mktemp("crawled")
    with serving(PAGES) as site:
        given = ("-a", f"seeds={site.url}/", "-a", "topic=comets")
        warc = f"WARC_FILE={folder / 'c.warc.gz'}"
        for name, setting in (("job", "FRONTIER_TEXT=all"), ("bare", warc)):
            done = run_focused(folder, *given, "-s", f"JOBDIR={folder / name}", "-s", setting)
            assert done.returncode == 0
    return folder, site


def documents(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def test_documents_of_datatrove_have_text_and_what_is_known(
    crawled: tuple[Path, Site], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder, site), out = crawled, tmp_path / "x.jsonl.gz"
    said = json_of(capsys, "export", folder / "job", "--format", "datatrove", "--out", out)
    assert said == {"documents": 2, "files": [str(out)], "without_text": 1, "noindex": 1}
    first, second = documents(out)
    assert list(first) == ["id", "text", "metadata"]
    assert first["id"] == sha256(f"{site.url}/".encode()).hexdigest()
    assert "comets" in first["text"]
    assert tuple(first["metadata"]) == METADATA
    assert (first["metadata"]["asks"], first["metadata"]["language"]) == ("noai", "en")
    assert (second["metadata"]["url"], second["metadata"]["title"]) == (f"{site.url}/a", "Comets")
    assert "é and 彗星." in second["text"]
    assert second["metadata"]["relevance"] > 0
    assert second["metadata"]["score"] > 0


def test_documents_of_dolma_of_recorded_texts(
    crawled: tuple[Path, Site], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder, site), out = crawled, tmp_path / "x.jsonl.gz"
    warc = ("--warc", folder / "c.warc.gz")
    json_of(capsys, "export", folder / "bare", *warc, "--format", "dolma", "--out", out)
    first, second = documents(out)
    assert list(first) == ["id", "text", "source", "added", "created", "metadata"]
    assert (first["source"], second["metadata"]["url"]) == ("bare", f"{site.url}/a")
    assert first["added"] == first["created"] == first["metadata"]["fetched"]
    assert first["added"].endswith("Z")
    assert "é and 彗星." in second["text"]


def test_without_texts_it_says_what_to_set(crawled: tuple[Path, Site], tmp_path: Path) -> None:
    with pytest.raises(StoreMissingError, match=r"FRONTIER_TEXT=main or all, or .* --warc FILE"):
        write_documents(crawled[0] / "bare", "dolma", tmp_path / "x.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_an_archive_is_valid_and_names_the_pages_that_may_be_shown(
    crawled: tuple[Path, Site], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("wacz.main", reason="py-wacz brings 30 packages")
    (folder, site), out = crawled, tmp_path / "x.wacz"
    warc = ("--warc", folder / "c.warc.gz")
    said = json_of(capsys, "export", folder / "bare", *warc, "--out", out)
    assert said == {"pages": 3, "files": [str(out)], "noindex": 1}
    # In a process of its own: it leaves files open.
    code = "import sys; from wacz.main import main; sys.exit(main(['validate', '-f', sys.argv[1]]))"
    program = [sys.executable, "-c", code, str(out)]
    subprocess.run(program, check=True, capture_output=True, timeout=60)
    with zipfile.ZipFile(out) as archive:
        head, *pages = map(json.loads, archive.read("pages/pages.jsonl").splitlines())
        assert archive.read("archive/c.warc.gz") == (folder / "c.warc.gz").read_bytes()
    assert head["format"] == "json-pages-1.0"
    assert [(page["url"], page.get("seed", False)) for page in pages] == [
        (f"{site.url}/", True),
        (f"{site.url}/a", False),
        (f"{site.url}/c", False),
    ]
    assert list(tmp_path.iterdir()) == [out]


def test_files_that_make_no_archive_are_refused(crawled: tuple[Path, Site], tmp_path: Path) -> None:
    warc, out = crawled[0] / "c.warc.gz", tmp_path / "x.wacz"
    with pytest.raises(RecordingError, match="different names"):
        write_wacz(crawled[0] / "bare", [warc, warc], out)
    with pytest.raises(RecordingError):
        write_wacz(crawled[0] / "bare", [tmp_path / "none.warc"], out)
    assert list(tmp_path.iterdir()) == []


def test_without_py_wacz_it_says_how_to_install_it(
    crawled: tuple[Path, Site], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "wacz.main", None)
    with pytest.raises(MissingExtraError, match=r"scrapy-linkrank\[wacz\]"):
        write_wacz(crawled[0] / "bare", [crawled[0] / "c.warc.gz"], tmp_path / "x.wacz")
