"""Harvest: how many of the wanted pages a crawl has after how many requests.

python -m benchmarks harvest    our orders and the peers', replayed on the recorded webs with
                                the protocol they are judged by; beside the targets
python -m benchmarks outside    any crawler with a command line, on the same pages: the recorded
                                web is served through a proxy, and the proxy's log is scored
"""
