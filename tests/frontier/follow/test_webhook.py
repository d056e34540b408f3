"""Events posted one by one: as CloudEvents has them, signed as Standard Webhooks has it."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from base64 import b64decode, b64encode
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from frontier.errors import FollowError
from frontier.follow import posting
from frontier.follow.posting import Address
from frontier.follow.webhook import SECRET, WebhookSink, cloud_event
from tests.support.followed import Kept, job_of
from tests.support.living_crawl import A
from tests.support.sites import serving
from tests.support.told import telling

KEY = b64encode(b"a key of some length, as one should be").decode()


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "PAUSES", (0.001, 0.002))
    monkeypatch.setenv(SECRET, f"whsec_{KEY}")


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return job_of(tmp_path)


def test_each_event_is_a_signed_cloud_event(kept: Kept) -> None:
    with serving(lambda asked: (204, {}, b"")) as site:
        sink = WebhookSink(Address.parse(f"{site.url}/hook?key=1"))
        sink.send(kept.events)
        sink.close()
    assert [asked.path for asked in site.asked] == ["/hook?key=1"] * 2
    for asked, event in zip(site.asked, kept.events, strict=True):
        message = json.loads(asked.body)
        crawl = UUID(event.cursor.partition(".")[0])
        assert message.pop("data") == event.as_dict()
        assert message == {
            "specversion": "1.0",
            "id": asked.headers["webhook-id"],
            "source": f"urn:uuid:{crawl}",
            "type": "frontier.page.new",
            "subject": event.url,
            "time": event.seen,
            "datacontenttype": "application/json",
        }
        assert asked.headers["content-type"].startswith("application/cloudevents+json")
        at = asked.headers["webhook-timestamp"]
        assert abs(int(at) - time.time()) < 60
        signed = f"{asked.headers['webhook-id']}.{at}.".encode() + asked.body
        digest = hmac.new(b64decode(KEY), signed, hashlib.sha256).digest()
        assert asked.headers["webhook-signature"] == f"v1,{b64encode(digest).decode()}"


def test_a_repetition_has_the_same_id_and_its_order(kept: Kept) -> None:
    answers = iter([500, 429, 503])
    with serving(lambda asked: (next(answers, 200), {}, b"")) as site:
        sink = WebhookSink(Address.parse(site.url))
        sink.send(kept.events)
        sink.close()
    ids = [asked.headers["webhook-id"] for asked in site.asked]
    assert ids[:4] == [ids[0]] * 4
    assert len({*ids}) == 2


def test_a_repetition_after_a_re_rank_has_the_same_id(kept: Kept) -> None:
    event = kept.events[0]
    ranked = replace(event, version=event.version + 1)
    assert cloud_event(ranked)["id"] == cloud_event(event)["id"]
    rescored = replace(ranked, change="rescored")
    assert cloud_event(rescored)["id"] != cloud_event(replace(event, change="rescored"))["id"]


@pytest.mark.parametrize("status", [301, 400, 410])
def test_a_receiver_that_refuses_stops_with_the_page(kept: Kept, status: int) -> None:
    with serving(lambda asked: (status, {}, b"never")) as site:
        sink = WebhookSink(Address.parse(f"{site.url}/hook?key=secret"))
        with pytest.raises(FollowError, match=telling(A, status, "never")) as refused:
            sink.send(kept.events)
        sink.close()
    assert "secret" not in str(refused.value)
    assert len(site.asked) == 1


@pytest.mark.parametrize("secret", ["", "whsec_", KEY, "whsec_?"])
def test_without_a_secret_nothing_is_sent(secret: str) -> None:
    with pytest.raises(FollowError, match=SECRET):
        WebhookSink(Address.parse("https://a.example/"), secret)
