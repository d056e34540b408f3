"""The backend: what is known of every URL, and which one leaves next.

`LinkRankBackend` is what a program of Frontera names as its BACKEND.
"""

from frontier.backend.backend import LinkRankBackend

__all__ = ["LinkRankBackend"]
