"""The operator's commands, loaded by the command line when one is called.

In import order:

- `status`: `status`
- `background`: `start` and `stop`
- `pgtap`: `test db`
- `dump`: `db dump`
- `project_commands`: `db reset`, `seed` and others of a project
- `commands`: all of them, and backup, restore, rotate-keys, by their names
"""
