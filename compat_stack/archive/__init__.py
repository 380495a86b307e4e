"""Backups: everything of an installation in one file.

In import order:

- `format`: the file itself
- `programs`: pg_dump, pg_restore and psql
- `backup`: database, keys and mailbox into the file
- `dump_contents`: what of a dump this server can have
- `restore_database`: the database back, in one transaction
- `restore_folder`: what the data folder had, moved aside and back
- `restore`: both, from the file
"""
