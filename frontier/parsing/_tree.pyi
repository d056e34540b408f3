from collections.abc import Iterator, Mapping
from typing import Any

BLOCK_END: str

class Text:
    length: int
    blocks: int
    places: list[int] | None

    def __init__(self, places: bool = False) -> None: ...

class Walk(Iterator[str | None]):
    stopped: bool
    leading: str
    parent: str
    zone: int
    is_leaf: bool

    def __init__(
        self, root: Any, text: Text, kinds: Mapping[str, str], closed: str, most: int
    ) -> None: ...
    def __next__(self) -> str | None: ...
    def skip(self) -> None: ...
    def get(self, name: str) -> str | None: ...
    def all_text(self) -> str: ...
    def within(self, *names: str) -> Iterator[None]: ...

def collapse(text: str, start: int = 0, end: int = ...) -> str: ...
