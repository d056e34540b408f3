"""Settings of what may be connected to, and of how long and how much is read from there."""

from __future__ import annotations

from frontier.plugin.setting import Setting

SETTINGS = (
    Setting(
        "FRONTIER_ALLOW_NETWORKS",
        (),
        "networks such as 10.0.0.0/8, as a list or separated by commas",
        "Addresses that are not of the public internet (loopback, private, link-local, reserved) "
        "are never connected to: a link, a redirect or a name in the DNS could lead there. Those "
        "in these networks are. Nothing on the web needs any.",
    ),
)

SCRAPY = (
    Setting(
        "DOWNLOAD_TIMEOUT",
        60,
        "seconds",
        "For all of a download, from the name's resolution to the last byte: dripping does not "
        "extend it. A body that is still coming is cut there, marked as truncated and used.",
    ),
    Setting(
        "DOWNLOAD_MAXSIZE",
        4 * 1024 * 1024,
        "bytes, as they come over the wire",
        "What is longer is cut there, marked as truncated and used: the beginning of a long page "
        "links to as much as a short page. Scrapy would take 1 GiB, and keep nothing of more. A "
        "request's own `download_maxsize` keeps Scrapy's meaning: what is larger fails.",
    ),
    Setting(
        "DOWNLOAD_FAIL_ON_DATALOSS",
        False,
        "true or false",
        "A body that ends before it should is asked for once more, then what came is used and "
        "marked as truncated. True: it is a failure, as in Scrapy.",
    ),
    Setting(
        "DOWNLOAD_VERIFY_CERTIFICATES",
        False,
        "true or false",
        "Off, as in Scrapy: a crawl reads what everybody may read, sends no secret, and many "
        "sites have a certificate that lacks its issuer's or ran out yesterday. What is wrong "
        "with one is kept with the page. True: such hosts fail, with the reason, also with "
        "versions of Scrapy that do not know this setting.",
    ),
)
"""Settings of Scrapy's own, with the defaults that the add-on gives them."""
