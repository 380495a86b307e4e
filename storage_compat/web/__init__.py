"""HTTP in and out, and the table of routes.

In import order:

- `exchange`: a request whose body is a stream, answers whole or streamed
- `faults`: problems to answers
- `multipart`: forms read as they arrive
- `bodies`: schemas of JSON bodies and queries
- `calls`: one matched call, as its handler is given it
- `views`: records to JSON, an object's headers
- `buckets`, `objects`, `signed`, `rendering`, `resumable`, `operations`: handlers
- `s3_access`: the access key of an S3 request, and whom it acts for
- `s3_forms`: S3's uploads by POST policy
- `s3`: signed requests below `/s3`
- `s3_buckets`, `s3_lists`, `s3_objects`, `s3_parts`, `s3_pending`: handlers of S3's operations
- `s3_routes`: S3's operations as one table
- `routes`: every path, who may call it, and its handler
- `service`: serving a request
- `metrics`: figures of requests, loaded where they are set
"""
