"""HTTP in and out, and the table of routes.

In import order:

- `exchange`: a request whose body is a stream, answers whole or streamed
- `faults`: problems to answers
- `multipart`: forms read as they arrive
- `bodies`: the shapes of JSON bodies and queries
- `calls`: one matched call and what a handler may ask of it
- `views`: records to JSON, an object's headers
- `s3`: signed requests below `/s3`
- `buckets`, `objects`, `signed`, `rendering`, `resumable`, `operations`: handlers
- `s3_routes`: S3's operations as one table, and `s3_buckets`, `s3_lists`, `s3_objects`, `s3_parts`,
  `s3_pending` that answer
- `routes`: every path, who may call it, and who answers
- `service`: one request's way
"""
