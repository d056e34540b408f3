"""Pages in a browser: FRONTIER_RENDER."""
