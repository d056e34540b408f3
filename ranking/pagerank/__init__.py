"""PageRank with any restart vector, and what is computed as it is."""
