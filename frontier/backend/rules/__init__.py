"""Rules that judge answers before they are stored, and hold URLs back for what they know."""
