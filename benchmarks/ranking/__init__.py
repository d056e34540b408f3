"""The kernels beside the tools one would pick instead: `python -m benchmarks ranking`.

command   the parts, children in turns, and what is promised of each figure
graphs    a synthetic crawl that grows, a real graph
problems  the jobs of children, and the arrays they are about
child     one tool on one job, or the exact scores, in a process of its own
tools/    ours and the peers

Every tool is judged by its true L1 error against scores exact to 1e-12, and runs with the loosest
stopping rule that keeps it within the tolerance; ours with the tolerance it was asked for. The
time to build its graph counts: a crawl's graph is never the one of the last ranking. The peers
start from arrays of links; ours from the log the crawl has written, and from the same arrays.
"""
