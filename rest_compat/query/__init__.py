"""From plan to SQL: pure, and knowing nothing but the plan.

In import order:

- `fragments`: columns, conditions, orders, casts, JSON paths
- `bodies`: JSON bodies as rows
- `read`: the tree of a read
- `mutate`: insert, update, delete
- `call`: a function's call
- `handlers`: the body made of the rows
- `session`: role, claims, headers and settings of the transaction
- `build`: Plan → Script: every statement of the transaction, with placeholders for the values
- `preamble`: the statements before a script's own, for one caller and request
- `prepared`: a plan with its script, as the plan cache keeps it
"""
