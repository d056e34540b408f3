"""Puts the one line into every Scrapy project of a process with this folder on its path.

As a default setting: what a test sets for itself, it keeps.
"""

import importlib.util
import sys
from importlib.abc import MetaPathFinder

DEFAULTS = "scrapy.settings.default_settings"


class SwitchesOn(MetaPathFinder):
    """Adds to Scrapy's default settings, when they are imported."""

    def find_spec(self, name, path, target=None):
        if name != DEFAULTS:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        read = spec.loader.exec_module

        def exec_module(module):
            read(module)
            module.ADDONS = {"frontier.plugin.LinkRankAddon": 500}
            # The servers of the tests are on this machine.
            module.FRONTIER_ALLOW_NETWORKS = "127.0.0.0/8,::1/128"

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, SwitchesOn())
