"""From outcome to HTTP.

headers  what every answer carries, and what SQL may set
openapi  the root document
render   ReplyShape and Outcome → HttpResponse
"""
