"""The crawl order that learns which evidence pays on the web that is crawled."""
