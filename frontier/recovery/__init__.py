"""What of a broken crawl is intact, whether it could go on, and a new crawl made of it."""
