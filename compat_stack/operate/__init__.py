"""The operator's commands, loaded by the command line when one is called.

In import order:

- `status`: whether it serves, and is ready
- `background`: start, stop
- `pgtap`: test db
- `dump`: db dump
- `project_commands`: what db reset and seed do
- `commands`: all of them, and backup, restore, rotate-keys, by their names
"""
