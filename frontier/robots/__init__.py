"""Rules that sites give crawlers in robots.txt (RFC 9309): read, judged and kept."""

from frontier.robots.answers import Answer, Outcome, failed, judged
from frontier.robots.book import RobotsBook, Standing
from frontier.robots.origins import origin_of, robots_url
from frontier.robots.rules import Rules
from frontier.robots.token import product_token

__all__ = [
    "Answer",
    "Outcome",
    "RobotsBook",
    "Rules",
    "Standing",
    "failed",
    "judged",
    "origin_of",
    "product_token",
    "robots_url",
]
