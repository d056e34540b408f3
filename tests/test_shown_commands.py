"""The outputs that README and docs/ show are those of the commands above them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.shown_commands import differences, pages_with_commands, run, steps_of


@pytest.mark.slow
@pytest.mark.timeout(500)
def test_the_tutorial_works_and_every_page_shows_what_its_commands_print(tmp_path: Path) -> None:
    steps = [step for page in pages_with_commands() for step in steps_of(page.read_text("utf-8"))]
    assert sum(bool(step.shown) for step in steps) > 15
    run(steps, tmp_path)
    assert [step.command for step in steps if step.status] == []
    assert {step.command: found for step in steps if (found := differences(step))} == {}


def test_an_output_that_is_no_longer_printed_is_found() -> None:
    page = "```console\n$ x\n  pages  88\n  0.5  http://a.example/  A title\n...\n```\n"
    (step,) = steps_of(page)
    step.printed = ["  pages  1,234", "  0.25  http://b.example/  Another", "more"]
    assert differences(step) == []
    step.printed[0] = "  fetched  88"
    assert differences(step) == [("  pages  88", "  fetched  88")]
    step.printed.clear()
    assert len(differences(step)) == 2
