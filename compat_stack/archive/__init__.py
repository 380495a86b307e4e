"""Backups: everything of an installation in one file.

In import order:

- `format`: the file itself
- `programs`: pg_dump, pg_restore and psql
- `dump_contents`: which entries of a dump this server can restore
- `backup`: database, keys, mailbox and local files into the file
- `restore_folder`: the data folder's contents moved aside and back
- `restore_database`: the database back, in one transaction
- `restore`: both, from the file
"""
