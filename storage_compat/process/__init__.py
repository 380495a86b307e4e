"""The command line's commands besides serving.

In import order:

- `migrate`: the schema that the service needs
- `orphans`: bytes without a row, rows without bytes
"""
