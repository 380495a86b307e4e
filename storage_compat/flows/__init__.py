"""Use cases: validate, ask the policies, move the bytes, write the row, give a record.

In import order:

- `buckets`: made, listed, changed, emptied, deleted
- `uploads`: the right asked first, then the bytes, then the row
- `reading`: which object a request may read
- `lists`: pages of both versions
- `moves`: moved, copied, removed
- `rendering`: images in another size or format
- `resumable`: uploads in parts, by TUS
- `multipart`: uploads in parts, by S3
- `signing`: URLs that need no token besides their own
"""
