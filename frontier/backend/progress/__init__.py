"""Figures of a running crawl, pages that are left, and snapshots for processes that watch it."""
