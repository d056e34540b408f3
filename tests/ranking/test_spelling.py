"""Names that do not exist lead to the nearest that do."""

from __future__ import annotations

from ranking.spelling import or_rather

KNOWN = ("distrust", "not_examples", "seeds")


def test_the_nearest_name_is_proposed_whatever_its_letter_case_and_dashes() -> None:
    assert "distrust" in or_rather("distrst", KNOWN)
    assert "not_examples" in or_rather("Not-Examples", KNOWN)
    assert "seeds" in or_rather("SEEDS", KNOWN)


def test_nothing_is_proposed_where_nothing_is_near() -> None:
    assert or_rather("colour", KNOWN) == or_rather("colour", ()) == ""
