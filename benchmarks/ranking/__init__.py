"""The kernels beside the tools one would pick instead: `python -m benchmarks ranking`.

graphs, prepare      a synthetic crawl that grows, a real graph; their exact scores, once
tools/               what is compared, each in a process and on a core of its own
runs                 children in turns, limited in time and memory
cold, warm, system   the parts; each claim of the speed goals is one line of the result
report               tables and JSON

Every tool is judged by its true L1 error against scores exact to 1e-12, and runs with the loosest
stopping rule that keeps it within the tolerance; ours with the tolerance it was asked for. The
time to build its graph counts: a crawl's graph is never the one of the last ranking. The peers
start from arrays of links; ours from the log the crawl has written, and from the same arrays.
"""
