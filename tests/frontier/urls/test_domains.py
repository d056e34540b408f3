from __future__ import annotations

import pytest

from frontier.urls.domains import public_domain, registered_domain


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


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.co.uk", "example.co.uk"),
        ("one.blogspot.com", "blogspot.com"),
        ("a.trap.example", "a.trap.example"),
        ("co.uk", "co.uk"),
    ],
)
def test_blogs_at_a_hoster_are_one_public_domain(host: str, domain: str) -> None:
    assert public_domain(host) == domain
