"""Known pages that are looked at again: how likely one has changed, and what a look is worth."""
