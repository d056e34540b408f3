"""What keeps endless webs from taking a crawl in: admission of links, budgets, refusals."""
