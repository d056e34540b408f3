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
