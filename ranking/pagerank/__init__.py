"""PageRank with any restart vector, by sweeps or by pushes."""
