"""The actions of ``scrapy frontier``: every `Action` in a module of this package is one.

Nothing lists them: a new one is a function under `action`, in a module here.
"""
