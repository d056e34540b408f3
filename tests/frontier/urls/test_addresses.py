from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.errors import SettingsError
from frontier.urls.addresses import AddressGuard, as_address, parse_networks

GUARD = AddressGuard()
LOOPBACK_ALLOWED = AddressGuard(parse_networks(["127.0.0.0/8", "::1"]))

LOOPBACK = [
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0X7F.1",
    "0x7f.0x0.0x0.0x1",
    "0177.0.0.1",
    "0177.1",
    "017700000001",
    "00000000000000000000000000000000000177.1",
    "127.0.0.0x01",
    "127.8.9.10",
    "１２７.０.０.１",
    "①②⑦.⓪.⓪.①",
    "127。0。0。1",
    "127．0．0．1",
    "127｡0｡0｡1",
    "%31%32%37.0.0.1",
    "127%2E0%2E0%2E1",
    "%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1",
    "１２７％2E1".replace("％", "%"),
    " 127.0.0.1 ",
    "127.0.0\t.1",
    "[::1]",
    "::1",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[::1%25lo]",
    "[::1%lo]",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "www.localhost",
    "localhost.localdomain",
    "ｌｏｃａｌｈｏｓｔ",
    "loc%61lhost",
]
OTHERS = {
    "0.0.0.0": "unspecified",
    "0": "unspecified",
    "0x0": "unspecified",
    "0x": "unspecified",
    "[::]": "unspecified",
    "0.1.2.3": "unspecified",
    "10.0.0.1": "private",
    "10.255.255.255": "private",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.168.1.1": "private",
    "0xc0a80101": "private",
    "100.64.0.1": "carrier",
    "100.100.100.200": "carrier",
    "169.254.169.254": "link-local",
    "2852039166": "link-local",
    "0xa9fea9fe": "link-local",
    "169.254.43518": "link-local",
    "[::ffff:a9fe:a9fe]": "link-local",
    "[64:ff9b::a9fe:a9fe]": "link-local",
    "[2002:a9fe:a9fe::1]": "link-local",
    "[fe80::1]": "link-local",
    "[fe80::1%25eth0]": "link-local",
    "[fd00:ec2::254]": "private",
    "[fc00::1]": "private",
    "[fec0::1]": "private",
    "[64:ff9b:1::7f00:1]": "private",
    "168.63.129.16": "metadata",
    "192.0.0.192": "reserved",
    "192.0.2.1": "documentation",
    "198.18.0.1": "benchmarks",
    "198.51.100.7": "documentation",
    "203.0.113.9": "documentation",
    "192.88.99.1": "reserved",
    "224.0.0.1": "multicast",
    "239.255.255.250": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "reserved",
    "0xffffffff": "reserved",
    "[ff02::1]": "multicast",
    "[2001:db8::1]": "documentation",
    "[3fff::1]": "documentation",
    "[2001:0:7f00:1::]": "tunnel",
    "[2001:2::1]": "reserved",
    "[100::1]": "reserved",
    "[5f00::1]": "reserved",
    "[4000::1]": "reserved",
}
PUBLIC = [
    "8.8.8.8",
    "134744072",
    "0x08080808",
    "1.1",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "192.167.0.1",
    "11.0.0.1",
    "126.255.255.255",
    "128.0.0.1",
    "223.255.255.255",
    "[2606:4700::1111]",
    "[::ffff:8.8.8.8]",
    "[64:ff9b::808:808]",
    "[2002:808:808::1]",
    "example.org",
    "EXAMPLE.org.",
    "127.0.0.1.example.org",
    "localhost.example.org",
    "localhostess.org",
    "notlocalhost",
    "bücher.example",
    "xn--bcher-kva.example",
    "0x7f.org",
    "under_score.example",
    "10.de",
    "wiki",
    "",
]
BROKEN = ["1.2.3.4.5", "256.256.256.256", "127.0.0.0x1ff", "1..2", "09.1", "[::g]", "[1:2"]


@pytest.mark.parametrize("host", LOOPBACK)
def test_every_spelling_of_this_machine_is_refused(host: str) -> None:
    assert GUARD.refusal(host) is not None


@pytest.mark.parametrize("host", LOOPBACK)
def test_every_spelling_of_this_machine_is_allowed_with_its_network(host: str) -> None:
    assert LOOPBACK_ALLOWED.refusal(host) is None


@pytest.mark.parametrize(("host", "what"), OTHERS.items())
def test_what_is_not_of_the_public_internet_is_refused_with_its_kind(host: str, what: str) -> None:
    reason = GUARD.refusal(host)
    assert reason is not None
    assert what in reason


@pytest.mark.parametrize("host", PUBLIC)
def test_public_addresses_and_names_are_not_refused(host: str) -> None:
    assert GUARD.refusal(host) is None


@pytest.mark.parametrize("host", BROKEN)
def test_what_ends_like_an_address_and_is_none_is_nothing_to_connect_to(host: str) -> None:
    reason = GUARD.refusal(host)
    assert reason is not None
    assert reason.endswith("is no address")


@pytest.mark.parametrize(
    ("url", "refused"),
    [
        ("http://127.0.0.1/", True),
        ("http://127.0.0.1:8080/x", True),
        ("https://user:secret@127.0.0.1/", True),
        ("http://example.org@127.0.0.1/", True),
        ("http://[::1]:80/", True),
        ("http://2130706433", True),
        ("http:\\\\127.0.0.1\\", True),
        ("http://0x7f.1?x", True),
        ("http://localhost#x", True),
        ("http://127.0.0.1@example.org/", False),
        ("http://example.org/127.0.0.1", False),
        ("http://example.org/?u=http://127.0.0.1/", False),
        ("http://example.org", False),
        ("mailto:someone@127.0.0.1", False),
        ("/path", False),
    ],
)
def test_the_host_of_a_url_is_what_counts(url: str, refused: bool) -> None:
    assert (GUARD.url_refusal(url) is not None) == refused


def test_an_allowed_network_allows_no_other() -> None:
    guard = AddressGuard(parse_networks(["127.66.0.0/16", "fd00::/8"]))
    assert guard.refusal("127.66.1.2") is None
    assert guard.refusal("[::ffff:127.66.1.2]") is None
    assert guard.refusal("[fd00::5]") is None
    assert guard.refusal("127.67.0.1") == "127.67.0.1 is a loopback address"
    assert guard.refusal("[fc00::5]") == "fc00::5 is a private address"


def test_an_embedded_address_is_named() -> None:
    assert GUARD.refusal("[2002:a00:1::]") == "2002:a00:1:: is a private address (10.0.0.1)"


@pytest.mark.parametrize(
    ("networks", "everything"),
    [(["0.0.0.0/0", "::/0"], True), (["0.0.0.0/0"], False), (["::/0"], False), ([], False)],
)
def test_only_both_whole_networks_refuse_nothing(networks: list[str], everything: bool) -> None:
    assert AddressGuard(parse_networks(networks)).refuses_nothing == everything


@pytest.mark.parametrize("text", ["10.0.0.1/8", "10.0.0.0/33", "loopback", "127.1", "::1/129"])
def test_a_bad_network_is_named_with_the_setting(text: str) -> None:
    with pytest.raises(SettingsError, match="FRONTIER_ALLOW_NETWORKS") as error:
        parse_networks([text])
    assert text in str(error.value)


@given(st.text())
def test_no_host_and_no_url_is_too_strange(text: str) -> None:
    GUARD.refusal(text)
    GUARD.refusal(f"[{text}]")
    GUARD.url_refusal(text)
    GUARD.url_refusal(f"http://{text}/")


@given(st.integers(0, 2**32 - 1))
def test_all_spellings_of_an_address_are_one(value: int) -> None:
    spelled = str(ip_address(value))
    whole = [str(value), hex(value), f"0{value:o}", f"[::ffff:{spelled}]", f"[64:ff9b::{spelled}]"]
    for one in whole:
        assert (GUARD.refusal(one) is None) == (GUARD.refusal(spelled) is None)


def test_an_address_of_a_socket_may_have_a_scope() -> None:
    assert as_address("fe80::1%eth0") == ip_address("fe80::1")
