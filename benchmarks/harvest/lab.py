"""`scrapy lab` that knows the ablations too: `python -m benchmarks.harvest.lab run ...`.

The lab's processes import this module again, and so know them as well.
"""

from __future__ import annotations

import sys

from scrapy.cmdline import execute

from benchmarks.harvest.ablations import ABLATIONS
from ranking.orders import ORDERS

if __name__ in ("__main__", "__mp_main__"):
    ORDERS.update((order.name, order) for order in ABLATIONS)

if __name__ == "__main__":
    execute(["scrapy", "lab", *sys.argv[1:]])
