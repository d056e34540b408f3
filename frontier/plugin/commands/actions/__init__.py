"""The actions of ``scrapy frontier``: every `Action` in a module of this package.

There is no list of them: a new action is a function decorated with `action` in a module here.
"""
