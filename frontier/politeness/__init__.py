"""Politeness: which hosts may be asked when, whatever downloads from them."""

from frontier.politeness.limits import Limits
from frontier.politeness.policy import REFUSALS, HostAnswer, HostPause, PolitenessPolicy
from frontier.politeness.retry_after import retry_after

__all__ = ["REFUSALS", "HostAnswer", "HostPause", "Limits", "PolitenessPolicy", "retry_after"]
