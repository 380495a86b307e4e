"""From outcome to HTTP.

headers  what every answer carries, and what SQL may set
openapi_types, openapi_paths, openapi  the root document
render   ReplyShape and Outcome → HttpResponse
"""
