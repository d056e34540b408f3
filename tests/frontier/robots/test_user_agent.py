"""RFC 9309, 2.2.1: the product token of a User-Agent."""

from __future__ import annotations

import pytest

from frontier.robots.parser import product_token


@pytest.mark.parametrize(
    ("user_agent", "token"),
    [
        ("probe/1.0 (+https://probe.example)", "probe"),
        ("Probe", "probe"),
        ("scrapy-linkrank/0.1 (focused crawler; set USER_AGENT to say whose)", "scrapy-linkrank"),
        ("my_bot 2", "my_bot"),
        ("probe2/1.0", "probe2"),
        ("  probe/1", "probe"),
        ("Mozilla/5.0 (compatible; Probe/1.0; +https://probe.example)", "probe"),
        ("Mozilla/5.0 (X11; Linux x86_64)", "mozilla"),
        ("(no product)", ""),
        ("", ""),
    ],
)
def test_the_name_before_the_first_slash_or_space(user_agent: str, token: str):
    assert product_token(user_agent) == token
