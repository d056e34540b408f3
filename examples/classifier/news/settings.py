BOT_NAME = "news"
SPIDER_MODULES = ["news.spider"]
USER_AGENT = "news (set USER_AGENT to say whose)"
ROBOTSTXT_OBEY = True

ADDONS = {"frontier.plugin.LinkRankAddon": 500}
TOPIC_MODEL = "news.topics.Classified"
FRONTIER_TOPIC = "astronomy"
