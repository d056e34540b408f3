"""Where URLs lie, as numbers: which are of one host, of one folder, of one template.

Orders learn by them where fetching pays, the store keeps the folders, and how often the pages of
one change is learned together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frontier.urls._places import Part, checksums

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


def host_places(slots: Iterable[str]) -> NDArray[np.uint32]:
    """uint32[k], one number a host."""
    return _numbers(slots, Part.WHOLE)


def folder_places(urls: Iterable[str]) -> NDArray[np.uint32]:
    """uint32[k], one number a folder of a host: the URL up to the last slash of its path.

    /docs/api/ of /docs/api/index.html?page=2.
    """
    return _numbers(urls, Part.FOLDER)


def template_places(urls: Iterable[str]) -> NDArray[np.uint32]:
    """uint32[k], one number a template of a host: what URLs of one kind have in common.

    Names and numbers in the path are masked, but for the first of several parts and the ending, and
    of a query the keys are left: /t/why-so/12 and /t/how/7 are of one.
    """
    return _numbers(urls, Part.TEMPLATE)


def _numbers(texts: Iterable[str], part: Part) -> NDArray[np.uint32]:
    names = list(texts)
    numbers = np.empty(len(names), np.uint32)
    checksums(names, part, numbers)
    return numbers
