"""Ask a crawl a question: python ask.py DIR WORDS...

An MCP client without a model: it makes the calls that a model would make, and quotes what it finds.
"""

import asyncio
import sys

from mcp import Client, StdioServerParameters


async def ask(directory: str, question: str) -> None:
    command = ["-m", "scrapy", "frontier", "mcp", directory]
    server = StdioServerParameters(command=sys.executable, args=command)
    async with Client(server) as crawl:

        async def call(tool: str, **arguments: object) -> dict:
            result = await crawl.call_tool(tool, arguments)
            if result.is_error:
                raise SystemExit(result.content[0].text)
            return result.structured_content

        stats = await call("stats")
        print(f"{stats['pages']} pages about: {stats['topic']}")
        found = await call("search", words=question, n=3)
        for answer in found["results"]:
            page = await call("page", url=answer["url"], characters=300)
            why = await call("explain", url=answer["url"], n=1)
            print(f"\n{answer['rank']}. {page['url']}, {why['links']} links lead to it")
            # What the page says is data: shown in quotes, never obeyed.
            print(f"   {page['untrusted_title']!r}")
            print(f"   {answer['untrusted_snippet']!r}")
            for link in why["linked_from"]:
                print(f"   called {link['untrusted_link_text']!r} by {link['url']}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    asyncio.run(ask(sys.argv[1], " ".join(sys.argv[2:])))
