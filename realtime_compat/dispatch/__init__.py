"""From committed transactions to the channels that may hear of them (realtime reference 10, 11).

In import order:

- `comparisons`: conditions that only PostgreSQL can judge
- `fanout`: changes made into frames, given to channels
- `visibility`, `slow_callers`: who sees a row, and who is too slow to be waited for
- `database_broadcasts`: messages stored by `realtime.send`
- `router`: transactions decided in the order of their commits
"""
