BOT_NAME = "quotes"
SPIDER_MODULES = ["quotes.spider"]
USER_AGENT = "quotes (set USER_AGENT to say whose)"
ROBOTSTXT_OBEY = True

ADDONS = {"frontier.plugin.LinkRankAddon": 500}
