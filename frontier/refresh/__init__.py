"""Known pages that are revisited: how likely one has changed, and what a revisit is worth."""
