import scrapy

from frontier.plugin import Links, page_of


class News(scrapy.Spider):
    name = "news"

    def __init__(self, url, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [url]

    def parse(self, response):
        page = page_of(response, self.crawler)
        yield {"url": response.url, "relevance": page.relevance}
        yield Links(page.content.links)
