"""One frozen record a table, read from its rows.

In import order:

- `bucket`: a bucket and its limits
- `stored`: an object's row
- `caller`: as whom statements are executed
- `uploads`: resumable uploads under way
"""
