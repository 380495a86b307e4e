"""A stand-in for PostgREST 16: HTTP requests become SQL, JSON comes back as PostgreSQL wrote it.

In import order:

- `names`: QualifiedName, and type names as the catalog prints them
- `http/`: media types, row windows
- `errors`: every error, SQLSTATE → status, the JSON of an error
- `auth/`: token → role and claims; the path to the role in a token's claims
- `settings`: the original's settings from any mapping
- `catalog/`: the schema cache: model, queries, assembly, loading
- `api_request/`: the parsed request, as grammars, plans and SQL share it
- `request/`: HttpRequest → Shape + Values → ApiRequest: one grammar a file
- `plan/`: ApiRequest + SchemaCache → Plan: passes, lookups, negotiation
- `query/`: Plan → Script: SQL text with placeholders for the values
- `outcome`: the result and the verdict on it
- `execute/`: the only access to the database: transaction, statements, verdict, errors
- `response/`: headers, root document, Outcome → HttpResponse
- `pipeline`: parse → plan → build → execute → render, on one page
- `observe/`: access log, log lines, reporter, Server-Timing
- `runtime/`: state between requests: plan cache, snapshot, reload, listener, large bodies
- `app`: the running service: authentication, logs, reloads, CORS
- `process/`: the admin server; flags, files, signals
"""
