"""The refinements of a read plan, each tree → tree, in the order they are applied.

- `tree`: select= and the embeds' directives as a tree of nodes
- `relationships`: each embed's link to its parent, and the names used in SQL
- `stars`: `*` written out where single columns matter
- `aliases`: output names that SQL would not give by itself
- `related_orders`: orders that look into to-one embeds
- `null_embeds`: `embed=is.null` as a condition on the embed's presence
- `parts`: how each embed appears in its parent's row
- `aggregates`: permission, and aggregates lifted out of to-one spreads
- `array_orders`: the order inside the arrays of to-many spreads
- `limits`: the configured maximum of rows
"""
