"""A stand-in for PostgREST 16: HTTP requests become SQL, JSON comes back as PostgreSQL wrote it.

Modules in import order:

names, arrays  QualifiedName; arrays as PostgreSQL writes them
media_types, ranges, similarity  Accept; row windows; nearest names
remembered     what was made before, bounded
errors         every error, SQLSTATE → status, the JSON of an error
json_path/     paths into JSON: reading, finding, writing
role_path      where a token's role stands
settings       the original's settings from any mapping
catalog/       the schema cache: model, queries, assembly, loading
request/       HttpRequest → Shape + Values → ApiRequest: one grammar a file; its sender
plan/          ApiRequest + SchemaCache → Plan: passes, lookups, negotiation
query/         Plan → Script: SQL text with slots for the values
outcome        the result and the verdict on it
execute        the one stage that waits: transaction, statements, verdict
response/      headers, root document, Outcome → HttpResponse
auth           token → role and claims
snapshot       settings and schema cache as one value, with the plans made from it
growing_delay  how long to wait before the next attempt
connection, listener  how to connect; notifications on the channel
stored_settings, reload  settings in the database; loads, swaps the snapshot
access_log, debounced, stopwatch  log line; failures in bursts; Server-Timing
inspect_schema  the root document's transaction
told           what is told of requests
app            all of it on one page
admin, cli     the admin server; flags, files, signals
"""

from rest_compat.app import open_service
from rest_compat.settings import Settings

__all__ = ["Settings", "open_service"]
