"""What the service knows of the database: the schema cache.

In import order:

- `model`: tables, columns, relationships, routines, media handlers
- `view_origins`: the table column behind each column of a view
- `view_keys`: primary and foreign keys as views show them
- `relationships`: relationships between tables and views, for embedding
- `assemble`: catalog rows → SchemaCache (pure)
- `dump`: the schema cache as the JSON that the original shows
- `load`: the queries in one transaction (I/O)
"""
