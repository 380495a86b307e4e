"""Use cases: validate, check the policies, move the bytes, write the row, return a record.

In import order:

- `buckets`: created, listed, changed, emptied, deleted
- `uploads`: rights checked first, then the bytes, then the row
- `reading`: an object that a request may read
- `lists`: pages of both versions
- `moves`: moved, copied, removed
- `rendering`: images in another size or format
- `resumable`: uploads in parts, by TUS
- `multipart`: uploads in parts, by S3
- `signing`: signed URLs
"""
