"""The link graph of a crawl: its log, snapshots, and sparse matrices."""
