"""The way to the network: one download handler for http and https that trusts no server.

* handler.py   Scrapy's handler with the three below in it; the account of one download
* pool.py      connections: only to addresses that are allowed, few idle ones, closed for sure
* protocol.py  answers: bounded heads, bodies cut at a size and a time, faults with their reason
* tls.py       certificates: verified on demand, their faults noted always
* faults.py    what went wrong, in one word for the store, and as Scrapy's own errors
* failure_logs.py  failed downloads in one line of the log
* install.py   how all that comes into a project's settings

A download ends in one of three ways: a response, which has a flag `truncated: <reason>` where its
body was cut; an error that may be different the next time; or one that will not. Both are
subclasses of what Scrapy raises, and `faults.PASSING` names the former.
"""
