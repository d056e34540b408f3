"""Rules that sites give crawlers in robots.txt (RFC 9309), as values and arrays of lines."""
