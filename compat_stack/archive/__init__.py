"""Backups: everything of an installation in one file.

In import order:

- `format`: the file itself
- `programs`: pg_dump, pg_restore and psql
- `backup`: database, keys and mailbox into the file
- `restore`: and back
"""
