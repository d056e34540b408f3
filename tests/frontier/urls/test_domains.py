from __future__ import annotations

from pathlib import Path

import pytest
import tldextract

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


def test_domains_are_what_tldextract_says_of_names_at_and_around_every_rule() -> None:
    extract = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None).extract_str
    rules = Path(tldextract.__file__).with_name(".tld_set_snapshot").read_text(encoding="utf-8")
    for rule in rules.splitlines():
        if not rule or rule.startswith("//"):
            continue
        name = rule.replace("*", "any").lstrip("!")
        for host in (name, name.partition(".")[2] or name, f"other.{name}", f"a.b.{name}"):
            both = extract(host, include_psl_private_domains=True)
            assert registered_domain(host) == (both.top_domain_under_public_suffix or host)
            assert public_domain(host) == (extract(host).top_domain_under_public_suffix or host)
