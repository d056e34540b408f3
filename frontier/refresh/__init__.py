"""Revisits of known pages: the chance that a page has changed, and the worth of a revisit."""
