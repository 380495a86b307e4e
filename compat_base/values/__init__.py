"""Frozen values and pure functions over them; nothing here does input or output.

In import order:

- `errors`: Row, Problem, ApiError: one exception, one table a service
- `jsontext`: JSON encoded and decoded, the same way everywhere
- `pgarray`: PostgreSQL's text form of arrays
- `sqltext`: SQL as a value: raw text, quoted names, parameters
- `world`: clock and random source
- `settings`: a mapping of text in, a frozen record or every problem out; masked secrets
- `setting_kinds`: parsers of a variable: a text, a number, a duration, a list
- `setting_rows`: a setting as one row of a record
- `urls`: URLs as browsers parse them, the only import of ada_url
- `percent`: percent-encoded bytes as forms have them
- `networks`: which IP addresses are public, and who shares one
- `http`: HttpRequest and HttpResponse as frozen values
- `jwt`: tokens over keys and bytes; key sets
- `events`: observations and their sinks
"""
