"""From HTTP to the parsed request: grammars, and the request's shape.

In import order:

- `syntax_failures`: where parsing went wrong, and the words for it
- `parsec`: parsers of characters, with positions and "unexpected … expecting …"
- `combinators`: parsers made of parsers
- `names`: names, JSON paths and casts, shared by the grammars
- `select`: the grammar of `select=`
- `filters`: the grammars of filters and logic trees
- `ordering`: the grammar of `order=`
- `preferences`: the Prefer header
- `slices`: long work with pauses
- `query_string`: pairs of a query string or form, and the canonical form
- `headers`: the token, the origin, and what SQL sees of the headers
- `json_windows`: a long JSON body as pieces that are JSON of their own
- `json_keys`: the keys of a JSON body
- `csv_records`: the records of a CSV
- `csv_rows`: CSV as rows of JSON
- `rows`: the rows of a JSON array
- `payload`: keys and kind of a body, for its plan
- `target`: path, method and profile as schema and action
- `shape`: a request without its values: the key under which plans are cached
- `parse`: Shape → ApiRequest
"""
