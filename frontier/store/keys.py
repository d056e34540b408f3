"""What a crawl remembers about itself between runs, by the names it has in the store.

Settings, but for BEFORE, AFTER and the arrays that SCORES and PRIOR list: each of the latter lies
under that and its name.
"""

from __future__ import annotations

IDENTITY = "identity"
"""`CrawlConfig.identity` of the last run."""
PARAMETERS = "parameters"
"""`CrawlConfig.parameters` of the last run."""
URL_RULES = "url rules"
"""`UrlRules.as_json` of those it was started with."""
TOPIC = "topic state"
"""What the topic model learned; None: nothing yet."""
EXAMPLES = "example texts"
"""What the topic model was fitted to beside the topic's words: texts, in order."""
NOT_EXAMPLES = "unwanted texts"
"""Texts of the unwanted examples it was fitted to, in order."""
LABELLED = "labelled texts"
"""What it was fitted to since: texts by "yes" or "no" and by id, of pages that people labelled."""
CONTRASTED = "contrasted at"
"""Number of pages at which the topic model is next shown what was fetched."""
SCORES = "scores:"
"""Names of the crawl order's arrays of the last epoch."""
BEFORE, AFTER = "score before", "score after"
"""Names of arrays: float32 link scores, by id, as they were before the re-rank of their epoch, and
as that left them: the order's own arrays go on with every page."""
PRIOR = "prior:"
"""Names of the arrays that a file of scores became; empty: none was given."""
DEATHS = "deaths"
"""What was in flight when processes of the crawl died, see `frontier/backend/deaths.py`."""
TRAPS = "traps"
"""Name of the array of bytes that the watch over traps goes on with."""
EXCHANGE = "exchange"
"""Name by which an exchange knows the crawl, while it is served to several fetchers; None: not."""
APPLIED = "applied"
"""Of what fetchers said of their own accord, the tokens of what the last turn took in."""
SERVED = "served"
"""Who fetches for the crawl and what waits, as `frontier/exchange/account.py` has it; None: it was
never served."""
HANDOUTS = "handouts"
"""Number of the next hand-out of a served crawl: fetchers may still answer to any before it."""
