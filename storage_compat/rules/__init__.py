"""Decisions as pure functions: values in, values out, time as an argument.

In import order:

- `numbers`: whole numbers of any length
- `times`: moments as the wire writes them
- `storable`: whether PostgreSQL's text and jsonb can hold a JSON value
- `paths`: routes' paths, percent-encoding, names of buckets and keys
- `schema`: JSON bodies and queries checked and coerced as the original's validator does
- `content_types`: media types of uploads, and which a bucket takes
- `sizes`: limits as numbers and as text
- `robots`: the X-Robots-Tag header
- `forms`: fields of a form that describe the file in it
- `conditions`: Range, If-None-Match, If-Modified-Since
- `access_tokens`: JSON Web Tokens of callers
- `url_tokens`: tokens of signed URLs
- `resumable`: the headers of TUS
- `transformations`: how images are rendered
- `sigv4`, `aws_chunks`, `xml`: S3's signatures, streams and documents
- `post_policies`: POST policies of S3's forms
- `cursors`: where the next page of a list begins
"""
