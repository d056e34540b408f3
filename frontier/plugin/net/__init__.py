"""Protection against requests to private addresses, for every download handler of Scrapy's."""
