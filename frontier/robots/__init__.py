"""robots.txt (RFC 9309): parsing, matching, and a cache of the rules of each origin."""

from frontier.robots.cache import Freshness, RobotsCache
from frontier.robots.normalize import robots_url
from frontier.robots.parser import product_token
from frontier.robots.response import RobotsAnswer, RobotsOutcome, failed, judged
from frontier.robots.rules import RobotsRules
from frontier.urls.canonical import origin_of

__all__ = [
    "Freshness",
    "RobotsAnswer",
    "RobotsCache",
    "RobotsOutcome",
    "RobotsRules",
    "failed",
    "judged",
    "origin_of",
    "product_token",
    "robots_url",
]
