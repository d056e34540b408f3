"""What a crawl remembers about itself between runs, by the names it has in the store.

Settings, but for the arrays that SCORES and PRIOR list: each lies under that and its name.
"""

from __future__ import annotations

IDENTITY = "identity"
"""`CrawlConfig.identity` of the last run."""
PARAMETERS = "parameters"
"""`CrawlConfig.parameters` of the last run."""
TOPIC = "topic state"
"""What the topic model learned; None: nothing yet."""
SCORES = "scores:"
"""Names of the crawl order's arrays of the last epoch."""
PRIOR = "prior:"
"""Names of the arrays that a file of scores became; empty: none was given."""
