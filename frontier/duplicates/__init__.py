"""Fetched pages that repeat another page: copies, mirrors, near-duplicates."""
