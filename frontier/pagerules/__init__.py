"""Rules and canonical addresses that pages declare, and their effect on the crawl."""
