"""The settings of a stranger's project: Scrapy's, but for what writes down what happened."""

import os

from scrapy.settings import default_settings

SPIDER_MODULES = os.environ["STRANGERS"].split()
EXTENSIONS = {"tests.strangers.stranger.Record": 0}
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
LOG_LEVEL = "INFO"
NAMES = "tests.strangers.fake_names.Resolver"
if hasattr(default_settings, "TWISTED_DNS_RESOLVER"):  # its name from Scrapy 2.18 on
    TWISTED_DNS_RESOLVER = NAMES
else:
    DNS_RESOLVER = NAMES
# Beside the one line: what the tests serve is on this machine.
FRONTIER_ALLOW_NETWORKS = "127.0.0.0/8"
