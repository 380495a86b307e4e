"""The parsed request, as grammars, plans and SQL share it.

In import order:

- `operators`: the operators of filters, one row each
- `model`: select items, filters, orders, preferences, payloads, actions
"""
