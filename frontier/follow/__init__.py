"""What becomes of a crawl's pages, handed on as events to an index, an archive or a program.

The crawl's file is the log: an answer that adds, changes or ends a page is an event, by its number.
The store is read beside a running crawl, a portion at a time, and is not open between two portions.

**Order.** Of a page only the last event that is stored is handed on. So whatever is repeated, after
a kill at any moment, no sink gets an older event of a page after a newer one: a server that has
forgotten a deletion cannot bring a page back. `PageEvent.version` grows with each event of a page.

**Cursor.** Events are handed on at least once: a cursor is kept once a sink has returned, which
it does when the events are safe.
"""
