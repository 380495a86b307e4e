"""What the command line does besides serving.

In import order:

- `migrate`: the database brought to what the service needs
- `orphans`: bytes without a row, rows without bytes
"""
