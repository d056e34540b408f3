"""A crawl for agents: tools of the Model Context Protocol that only read what was stored.

`results` has the answers, `clean` what is taken out of texts of pages, `tools` reads the crawl, and
`server`, the only module that needs the extra `mcp`, serves the tools on standard input and output.
"""
