"""A resolver of a stranger's project: every name of `.test` is this machine, `dead.test` nobody."""

from __future__ import annotations

from typing import Any

from tests.support import fake_dns


class Resolver(fake_dns.Resolver):
    def resolveHostName(self, receiver: Any, hostName: str, *more: Any, **rest: Any) -> Any:
        name = hostName
        if name.endswith(".test"):
            fake_dns.ANSWERS.setdefault(name, [[] if name == "dead.test" else ["127.0.0.1"]])
        return super().resolveHostName(receiver, name, *more, **rest)
