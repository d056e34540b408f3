"""The rankings of `ranking` as Spark jobs, for graphs that lie in a cluster.

links     rows of links, as Parquet -> nodes and followed links, with the rules of `ranking.offline`
values    files of names and values, such as restart values
pagerank  PageRank with any restart vector, TrustRank
hits      HITS, plain or weighted by topic
tables    tables that iterations read again; what a ranking is here
stopping  when iterations stop; extrapolation: fewer of PageRank
job       files in, files out
command   the command line, `python -m ranking.spark`

Everything is an expression of Spark's own: no Python runs on executors, and nothing has to be
installed there. Of this project the driver needs `ranking.errors` and `ranking.printing` alone,
which need nothing else. docs/offline-ranking.md says when a cluster pays.
"""
