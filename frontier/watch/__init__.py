"""A running or finished crawl in a browser: documents made from its store by another process."""
