"""The link graph of a crawl: its log, snapshots of it, and the same as matrices."""
