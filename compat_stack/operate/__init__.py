"""The operator's commands, loaded by the command line when one is called.

In import order:

- `status`: whether it serves, and is ready
- `commands`: backup, restore, rotate-keys, status
"""
