from __future__ import annotations

import pytest

from frontier.urls.domains import registered_domain


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.com", "example.com"),
        ("a.b.c.example.co.uk", "example.co.uk"),
        ("one.blogspot.com", "one.blogspot.com"),
        ("127.0.0.1", "127.0.0.1"),
        ("localhost", "localhost"),
        ("co.uk", "co.uk"),
        ("", ""),
        ("a.trap.example", "trap.example"),
        ("xn--nxasmq6b.example.org", "example.org"),
    ],
)
def test_a_host_belongs_to_what_somebody_registered(host: str, domain: str) -> None:
    assert registered_domain(host) == domain
