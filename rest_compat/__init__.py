"""A stand-in for PostgREST 16: HTTP requests become SQL, JSON comes back as PostgreSQL wrote it.

In import order:

- `names`: QualifiedName, and type names as the catalog prints them
- `http/`: media types, row windows
- `errors`: every error, SQLSTATE → status, the JSON of an error
- `auth/`: token → role and claims; where a token's role stands
- `settings`: the original's settings from any mapping
- `catalog/`: the schema cache: model, queries, assembly, loading
- `request/`: HttpRequest → Shape + Values → ApiRequest: one grammar a file; its sender
- `plan/`: ApiRequest + SchemaCache → Plan: passes, lookups, negotiation
- `query/`: Plan → Script: SQL text with slots for the values
- `outcome`: the result and the verdict on it
- `execute`: transaction, statements, verdict
- `response/`: headers, root document, Outcome → HttpResponse
- `inspect_schema`: the root document's transaction
- `runtime/`: what lives between requests: snapshot and caches, reload, listener, large bodies
- `observe/`: access log, log lines, reporter, Server-Timing
- `app`: all of it on one page
- `process/`: the admin server; flags, files, signals
"""

from rest_compat.app import open_service
from rest_compat.settings import Settings

__all__ = ["Settings", "open_service"]
