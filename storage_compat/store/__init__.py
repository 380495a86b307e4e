"""SQL beside its callers: a connection and arguments in, records out; no rule, no HTTP.

In import order:

- `sessions`: transactions in a caller's name, with what policies may read of the request
- `buckets`: buckets and whether they are empty
- `objects`: rows of objects: found, tried, written, moved, removed
- `lists`: pages of objects and folders
- `garbage`: stored bytes that no row names
- `resumable`: TUS uploads under way
- `multipart`: S3 uploads under way
"""
