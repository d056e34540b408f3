"""How a component comes into a project's settings beside what the project put there itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.settings import get_settings_priority
from scrapy.utils.python import global_object_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from scrapy.settings import BaseSettings


def add(settings: BaseSettings, name: str, components: Mapping[str, int]) -> None:
    """Add components to a component dict, at the priority the project gave it."""
    present = paths_of(settings.getwithbase(name))
    missing = {path: order for path, order in components.items() if path not in present}
    if missing:
        priority = priority_of(settings, name)
        settings.set(name, {**dict(settings[name]), **missing}, priority)


def replace(settings: BaseSettings, name: str, base: str, path: str) -> None:
    """Put a component in the place of one of Scrapy's own, unless the project did away with it."""
    order = settings.getwithbase(name).get(base)
    if order is not None:
        changed = {**dict(settings[name]), base: None, path: order}
        settings.set(name, changed, priority_of(settings, name))


def paths_of(components: Iterable[Any]) -> set[str]:
    """The paths of components: Scrapy takes one by its path or as a class, and loads it twice if it
    is there as both.
    """
    return {one if isinstance(one, str) else global_object_name(one) for one in components}


def priority_of(settings: BaseSettings, name: str) -> int:
    """That of the setting, so that a project's own value is replaced, or else that of add-ons."""
    return max(settings.getpriority(name) or 0, get_settings_priority("addon"))
