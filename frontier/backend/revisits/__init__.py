"""Revisits of known pages: which pages, when, and with what result."""
