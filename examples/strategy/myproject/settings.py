BOT_NAME = "myproject"
SPIDER_MODULES = ["myproject.spider"]
USER_AGENT = "myproject (set USER_AGENT to say whose)"
ROBOTSTXT_OBEY = True

ADDONS = {"frontier.plugin.LinkRankAddon": 500}
FRONTIER_STRATEGY = "myproject.strategies.MyOrder"
