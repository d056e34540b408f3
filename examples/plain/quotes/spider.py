import scrapy


class Quotes(scrapy.Spider):
    name = "quotes"

    def __init__(self, url="https://quotes.toscrape.com/", **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [url]

    def parse(self, response):
        for quote in response.css("div.quote"):
            yield {
                "text": quote.css("span.text::text").get(),
                "author": quote.css("small.author::text").get(),
            }
        yield from response.follow_all(css="a")
