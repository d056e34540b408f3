import scrapy


class Follow(scrapy.Spider):
    name = "follow"

    def __init__(self, url="https://quotes.toscrape.com/", **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [url]

    def parse(self, response):
        yield {"url": response.url}
        yield from response.follow_all(css="a")
