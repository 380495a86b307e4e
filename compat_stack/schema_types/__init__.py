"""`gen types`: a database's schemas described in TypeScript, as the Supabase CLI describes them.

In import order:

- `model`: relations, columns, types and functions as values
- `read`: their values read from a database's catalog
- `names`: a PostgreSQL type in TypeScript
- `functions`: functions, overloads and computed fields
- `relationships`: foreign keys, also through views
- `typescript`: the whole text
"""
