"""What one setting is. The rows themselves are declared by area: settings.py, settings_*.py."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Setting:
    """One row of docs/settings.md."""

    name: str
    default: object
    unit: str
    reason: str
