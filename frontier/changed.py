"""What a crawl says that is resumed otherwise than it was started."""

from __future__ import annotations


def other_seed(stored: str, directory: object) -> str:
    """Why another random seed cannot be: `stored` is the one that was given."""
    return (
        f"The crawl in {directory} was started with FRONTIER_RANDOM_SEED={stored}, by which it "
        f"knows its URLs: with another one it would know none of them. Give that value to resume "
        f"it, or another JOBDIR to start afresh."
    )


def difference(stored: dict[str, str], wanted: dict[str, str], directory: object) -> str:
    """What is different, and what to do; both are `CrawlConfig.identity`."""
    changed = [
        f"{name} was {stored.get(name, '')!r} and is now {wanted[name]!r}"
        for name in wanted
        if stored.get(name, "") != wanted[name]
    ]
    return (
        f"The crawl in {directory} was started differently: {'; '.join(changed)}. "
        f"Give the old value to resume it, another JOBDIR to start afresh, or "
        f"FRONTIER_ACCEPT_CHANGES=True to go on with the change."
    )
