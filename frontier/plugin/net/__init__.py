"""The way to the network: one download handler for http and https that trusts no server.

A download ends in one of three ways: a response, which has a flag `truncated: <reason>` where its
body was cut; an error that may be different the next time; or one that will not. Both are
subclasses of what Scrapy raises, and `faults.PASSING` names the former.
"""
