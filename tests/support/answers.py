"""Leases, for tests that stand in for a frontier."""

from __future__ import annotations

from typing import Any

from frontier.records import Lease


def lease_of(url: str, number: int, slot: str = "a.example", **known: Any) -> Lease:
    """A lease of a URL, with further fields by their names."""
    facts = {"fingerprint": number, "canonical": url, "depth": 0, "url_id": number, **known}
    return Lease(url=url, slot=slot, number=number, **facts)
