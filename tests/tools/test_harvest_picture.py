"""The curves of the README are those of the lab run that they are drawn from."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tools import harvest_picture as picture

SVG = "{http://www.w3.org/2000/svg}"


def run(strategy: str, topic: str, hits: list[int]) -> dict[str, object]:
    return {"strategy": strategy, "topic": topic, "budget": 100, "hits": hits, "targets": 2}


RESULTS: dict[str, object] = {
    "runs": [
        run("apprentice", "comets", [1, 50]),
        run("apprentice", "soup", [50]),
        *(run(name, "comets", [100]) for name in picture.CURVES if name != "apprentice"),
    ]
}


def test_a_curve_is_the_mean_share_of_the_targets_found_by_then() -> None:
    means, budget, topics = picture.recalls(RESULTS)
    assert (budget, topics) == (100, 2)
    found = means["apprentice"]
    assert len(found) == picture.POINTS + 1
    assert [found[at] for at in (0, 1, 24, 25, 50)] == [0, 0.25, 0.25, 0.75, 0.75]
    assert means["bfs"] == [0] * picture.POINTS + [0.5]


def test_the_command_writes_a_picture_with_a_labelled_curve_a_strategy(tmp_path: Path) -> None:
    source, target = tmp_path / "results.json", tmp_path / "harvest.svg"
    source.write_text(json.dumps(RESULTS), encoding="utf-8")
    subprocess.run([sys.executable, picture.__file__, source, target], check=True, timeout=60)
    svg = ElementTree.parse(target).getroot()
    texts = {"".join(one.itertext()): one for one in svg.iter(f"{SVG}text")}
    assert {"25", "50", "75", "100"} <= texts.keys()
    curves = {one.get("stroke"): one for one in svg.iter(f"{SVG}path") if one.get("fill")}
    for label, colour, _ in picture.CURVES.values():
        assert texts[label].get("fill") == colour
        points = (curves[colour].get("d") or "")[1:].split("L")
        assert len(points) == picture.POINTS + 1
        # The label stands at the end of its curve.
        end = float(points[-1].split()[1])
        assert float(texts[label].get("y") or 0) == pytest.approx(end + 4)
