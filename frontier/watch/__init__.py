"""A crawl as others see it, running or over: documents made from its store, from beside it."""
