"""Politeness: when each host may be asked, independent of the downloader."""

from frontier.politeness.limits import Limits
from frontier.politeness.policy import REFUSALS, HostAnswer, PolitenessPolicy
from frontier.politeness.retry_after import retry_after

__all__ = ["REFUSALS", "HostAnswer", "Limits", "PolitenessPolicy", "retry_after"]
