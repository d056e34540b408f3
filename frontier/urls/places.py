"""Numbers for the hosts, folders and templates of URLs.

Strategies learn which of them have relevant pages. The store keeps the folders, whose pages share
their rate of change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frontier.urls._places import Part, checksums

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


def host_places(slots: Iterable[str]) -> NDArray[np.uint32]:
    """uint32[k], a number for each host."""
    return _numbers(slots, Part.WHOLE)


def folder_places(urls: Iterable[str]) -> NDArray[np.uint32]:
    """uint32[k], a number for each folder: the URL up to the last slash of its path.

    /docs/api/ of /docs/api/index.html?page=2.
    """
    return _numbers(urls, Part.FOLDER)


def template_places(urls: Iterable[str]) -> NDArray[np.uint32]:
    """uint32[k], a number for each template: the common parts of URLs of the same kind.

    Names and numbers in the path are masked, except for the first of several parts and the ending;
    of a query the keys stay: /t/why-so/12 and /t/how/7 have the same template.
    """
    return _numbers(urls, Part.TEMPLATE)


def _numbers(texts: Iterable[str], part: Part) -> NDArray[np.uint32]:
    names = list(texts)
    numbers = np.empty(len(names), np.uint32)
    checksums(names, part, numbers)
    return numbers
