"""Where a URL lies, as numbers: its host, its folder on that host, and its template.

Orders that learn where fetching pays are told these in place of text. A folder is the URL up to
the last slash of its path: /docs/api/ of /docs/api/index.html?page=2. A template is what URLs of
one kind have in common: names and numbers in the path are masked, but for the first of several
parts and the ending, and of a query the keys are left. /t/why-so/12 and /t/how/7 are of one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frontier.strategy._places import Part, checksums

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


def host_places(slots: Iterable[str]) -> NDArray[np.uint32]:
    """uint32[k], one number a host."""
    return _numbers(slots, Part.WHOLE)


def folder_places(urls: Iterable[str]) -> NDArray[np.uint32]:
    """uint32[k], one number a folder of a host."""
    return _numbers(urls, Part.FOLDER)


def template_places(urls: Iterable[str]) -> NDArray[np.uint32]:
    """uint32[k], one number a template of a host."""
    return _numbers(urls, Part.TEMPLATE)


def _numbers(texts: Iterable[str], part: Part) -> NDArray[np.uint32]:
    names = list(texts)
    numbers = np.empty(len(names), np.uint32)
    checksums(names, part, numbers)
    return numbers
