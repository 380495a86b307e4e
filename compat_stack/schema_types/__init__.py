"""`gen types`: a database's schemas described in TypeScript, as the Supabase CLI describes them.

In import order:

- `collation`: the order of names
- `model`: relations, columns, types and functions as values
- `node_tree`: PostgreSQL's printed trees of nodes, read
- `view_columns`: columns of views that are never null
- `read`: all of it read from a database's catalog
- `names`: a PostgreSQL type in TypeScript
- `functions`: functions, overloads and computed fields
- `relationships`: foreign keys, also through views
- `typescript`: the whole text
"""
