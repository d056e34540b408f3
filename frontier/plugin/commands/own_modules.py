"""Modules of the user's own, for commands that are run where there is no Scrapy project."""

from __future__ import annotations

import os
import sys


def make_importable() -> None:
    """Let the current directory be imported from, as Scrapy does with that of a project.

    Last, as Scrapy does: nothing that lies there hides an installed package.
    """
    here = os.getcwd()  # noqa: PTH109  # sys.path holds strings
    if here not in sys.path and "" not in sys.path:
        sys.path.append(here)
