"""Settings of what may be connected to, and of how long and how much is read from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.plugin.settings.declare import Setting
from frontier.urls.addresses import parse_networks

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from frontier.urls.addresses import Network

SETTINGS = (
    Setting(
        "FRONTIER_ALLOW_NETWORKS",
        (),
        "networks such as 10.0.0.0/8, as a list or separated by commas",
        "Addresses that are not of the public internet (loopback, private, link-local, reserved) "
        "are never connected to: a link, a redirect or a name in the DNS could lead there. Those "
        "in these networks are. Nothing on the web needs any.",
    ),
    Setting(
        "FRONTIER_UNGUARDED_HANDLERS",
        (),
        "import paths of download handlers, as a list or separated by commas",
        "A handler of which it cannot be seen what it connects to (HTTP/2, another library, a "
        "browser that was started elsewhere) is refused at the start. Those listed are let in, "
        "with one warning: links and pages can lead them into private networks.",
    ),
    Setting(
        "FRONTIER_MEND_PAGES",
        False,
        "true or false",
        "Off: a callback gets what Scrapy gives it, and what is too long, too slow or not whole "
        "fails as in Scrapy. On, pages that are not in order are used as far as that goes: cut at "
        "DOWNLOAD_MAXSIZE, DOWNLOAD_TIMEOUT, FRONTIER_MAX_BODY (unpacked) or where they break off "
        "(after one more try, unless DOWNLOAD_FAIL_ON_DATALOSS), marked as truncated, read in the "
        "charset that browsers read them in, and rid of tags that stall a parser. What others "
        "download (files, images, a callback by itself) is left to Scrapy in any case. The "
        "ready-made project has it on: the beginning of a long page links to as much as a short "
        "page.",
    ),
    Setting(
        "FRONTIER_ONLY_HTTP",
        False,
        "true or false",
        "True: Scrapy's handlers for `file:`, `ftp:`, `data:` and `s3:` are taken out. False: what "
        "a spider itself asks for is fetched as in Scrapy; links that the frontier follows and "
        "redirects never lead there. The focused crawler of this repository uses True.",
    ),
)


def allowed_networks(settings: BaseSettings) -> tuple[Network, ...]:
    """FRONTIER_ALLOW_NETWORKS, a list or its parts separated by commas.

    Raises SettingsError for a part that is no network.
    """
    return parse_networks([str(one) for one in settings.getlist("FRONTIER_ALLOW_NETWORKS")])
