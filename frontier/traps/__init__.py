"""Crawler traps: admission of links, budgets of pages without new text, refusals."""
