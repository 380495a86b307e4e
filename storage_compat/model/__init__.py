"""One frozen record a table, read from its rows.

In import order:

- `bucket`: a bucket and its limits
- `stored`: an object's row
- `caller`: in whose name the database is asked
- `uploads`: resumable uploads under way
"""
