import numpy as np
from numpy.typing import NDArray

from frontier.records import UrlRecord

def columns(
    links: list[UrlRecord],
    nameless: int,
    targets: NDArray[np.int32],
    predicted: NDArray[np.float64],
    flags: NDArray[np.uint8],
    matches: NDArray[np.uint8],
) -> tuple[list[str], list[str], bool]: ...
def number(records: list[UrlRecord], n: int) -> list[UrlRecord]: ...
