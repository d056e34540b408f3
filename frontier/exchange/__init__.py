"""Between fetchers and the one frontier that they share."""
