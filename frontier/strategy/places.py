"""Where a URL lies, as numbers: its host, and its folder on that host.

Orders that learn where fetching pays are told these in place of text. A folder is the URL up to
the last slash of its path: /docs/api/ of /docs/api/index.html?page=2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from frontier.strategy._places import checksums

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


def host_places(slots: Iterable[str]) -> NDArray[np.uint32]:
    """uint32[k], one number a host."""
    return _numbers(slots, folders=False)


def folder_places(urls: Iterable[str]) -> NDArray[np.uint32]:
    """uint32[k], one number a folder of a host."""
    return _numbers(urls, folders=True)


def _numbers(texts: Iterable[str], *, folders: bool) -> NDArray[np.uint32]:
    names = list(texts)
    numbers = np.empty(len(names), np.uint32)
    checksums(names, folders, numbers)
    return numbers
