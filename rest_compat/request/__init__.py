"""From HTTP to what the user said: grammars and the request's shape.

parsec       parser combinators, with positions and "unexpected … expecting …"
names        names, JSON paths and casts, shared by the grammars
select       the grammar of `select=`
filters      the grammars of filters and logic trees
ordering     the grammar of `order=`
preferences  the Prefer header
query_string pairs of a query string or form, and the canonical form
headers      what the headers say: the token, the origin, and what SQL sees of them
csv_rows     CSV as header and rows
rows         the rows of a JSON array
payload      what must be known of a body before it is planned
shape        a request without its values: the key under which plans are cached
parse        Shape → ApiRequest
"""
