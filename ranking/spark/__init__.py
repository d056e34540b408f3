"""The rankings of `ranking` on Spark, for graphs that lie in a cluster: tables in, tables out.

    from ranking.spark import hits, pagerank

    ranking = pagerank(spark.read.parquet("links/"), seeds=spark.read.parquet("seeds/"))
    ranking.scores.orderBy("score", ascending=False).show()

links     rows of links -> nodes and followed links, with the rules of `ranking.offline`
pagerank  PageRank, personalized or not
hits      HITS, plain or weighted by topic

Everything is an expression of Spark's own: no Python runs on executors, and nothing has to be
installed there. docs/offline-ranking.md says when a cluster pays.
"""

from ranking.errors import MissingExtraError

try:
    import pyspark  # noqa: F401
except ImportError as error:
    raise MissingExtraError("pyspark", "ranking with Spark", "spark") from error

from ranking.spark.hits import hits
from ranking.spark.links import SparkRanking
from ranking.spark.pagerank import pagerank

__all__ = ["SparkRanking", "hits", "pagerank"]
