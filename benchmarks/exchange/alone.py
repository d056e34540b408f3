"""The exchange without a crawl: how many pages pass through PostgreSQL, and what they cost it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.children import run_module
from benchmarks.exchange.cpu import cpu_of
from benchmarks.report import AT_LEAST, AT_MOST, Figure

NOTE = (
    "Two clients take up to 64 URLs at a time, and with the next ones hand in their pages of 20 "
    "links, which were packed before; an owner takes the answers out and offers as many again. "
    "PostgreSQL, the clients and the owner share the cores, and PostgreSQL writes nothing through "
    "to the disk (fsync=off)."
)
CLIENTS = 2
_LIMIT = 300.0


def measure(answers: int) -> list[Figure]:
    """Let `answers` pages pass."""
    from crawler.private_postgres import PrivatePostgres
    from frontier.exchange import schema
    from frontier.exchange.connection import connect

    with (
        TemporaryDirectory(prefix="benchmark-") as folder,
        PrivatePostgres() as postgres,
        ThreadPoolExecutor(CLIENTS + 1) as pool,
    ):
        with connect(postgres.dsn(), "benchmark") as connection:
            schema.create(connection)
        assert postgres.pid is not None
        before = cpu_of(postgres.pid)

        def start(who: str) -> dict[str, Any]:
            told = [who, postgres.dsn(), str(answers)]
            return run_module("benchmarks.exchange.sides", told, Path(folder) / who, _LIMIT)

        owner = pool.submit(start, "owner")
        clients = [pool.submit(start, f"client-{at}") for at in range(CLIENTS)]
        passed, sides = owner.result(), [one.result() for one in clients]
        spent = cpu_of(postgres.pid) - before
    return _figures(passed, sides, spent)


def _figures(owner: dict[str, Any], clients: list[dict[str, Any]], spent: float) -> list[Figure]:
    pages = owner["pages"]
    trades = sorted(one for client in clients for one in client["trades"])
    by_client = 1000 * sum(one["busy"] for one in clients) / pages

    def own(what: str, unit: str, value: float, *promised: Any) -> Figure:
        sense, bound = promised or ("", None)
        return Figure(f"exchange alone, {what}", unit, value, None, sense, bound, on_ratio=False)

    return [
        own("2 clients", "pages/s", pages / owner["seconds"], AT_LEAST, 2000),
        own("CPU of PostgreSQL", "ms/page", 1000 * spent / pages, AT_MOST, 0.3),
        own("answer and take, median", "ms", 1000 * quantile(trades, 0.5)),
        own("answer and take, 95 %", "ms", 1000 * quantile(trades, 0.95), AT_MOST, 50),
        own("CPU of the owner", "ms/page", 1000 * owner["busy"] / pages),
        own("CPU of the clients", "ms/page", by_client),
    ]


def quantile(ordered: list[float], share: float) -> float:
    """Value below which that share of sorted values lies, one of them."""
    return ordered[int(share * (len(ordered) - 1))]
