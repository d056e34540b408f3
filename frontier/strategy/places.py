"""Where a URL lies, as numbers: its host, and its folder on that host.

Orders that learn where fetching pays are told these in place of text. A folder is the URL up to
the last slash of its path: /docs/api/ of /docs/api/index.html?page=2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


def host_places(slots: Iterable[str]) -> NDArray[np.uint32]:
    """uint32[k], one number a host."""
    return _numbers(slots)


def folder_places(urls: Iterable[str]) -> NDArray[np.uint32]:
    """uint32[k], one number a folder of a host."""
    return _numbers(map(_folder, urls))


def _folder(url: str) -> str:
    path = url.partition("#")[0].partition("?")[0]
    start = path.find("://")
    host_ends = path.find("/", start + 3 if start >= 0 else 0)
    return path[: path.rfind("/")] if host_ends >= 0 else path


def _numbers(texts: Iterable[str]) -> NDArray[np.uint32]:
    # Most URLs of a page lie in the same few places.
    names = list(texts)
    codes = {one: crc32(one.encode("utf-8", "surrogatepass")) for one in set(names)}
    return np.array([codes[one] for one in names], np.uint32)
