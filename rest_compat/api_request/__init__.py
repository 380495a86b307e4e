"""What a request says, in words that grammars, plans and SQL share.

In import order:

- `operators`: the operators of filters, one row each
- `model`: what can be said: select items, filters, orders, preferences, payloads, actions
"""
