"""Names that do not exist lead to the nearest that do."""

from __future__ import annotations

from ranking.spelling import or_rather

KNOWN = ("distrust", "not_examples", "seeds")


def test_the_nearest_name_is_proposed_whatever_its_letter_case_and_dashes() -> None:
    assert or_rather("distrst", KNOWN) == " (did you mean distrust?)"
    assert or_rather("Not-Examples", KNOWN) == " (did you mean not_examples?)"
    assert or_rather("SEEDS", KNOWN) == " (did you mean seeds?)"


def test_nothing_is_proposed_where_nothing_is_near() -> None:
    assert or_rather("colour", KNOWN) == or_rather("colour", ()) == ""
