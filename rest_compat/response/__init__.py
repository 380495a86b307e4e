"""From outcome to HTTP.

In import order:

- `headers`: what every answer carries, and what SQL may set
- `openapi_types`, `openapi_paths`, `openapi`: the OpenAPI document
- `render`: ReplyShape and Outcome → HttpResponse
- `root_document`: the answer to a request for the root, the OpenAPI document
"""
