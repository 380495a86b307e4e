"""From committed transactions to the channels that may see them (realtime reference 10, 11).

In import order:

- `comparisons`: filter conditions that PostgreSQL evaluates
- `fanout`: payloads of changes, batched by channel and delivered
- `visibility`: row-level security checks, many callers and rows in one query
- `slow_callers`: callers whose RLS checks time out, each with a queue of its own
- `database_broadcasts`: messages stored by `realtime.send`
- `router`: transactions in commit order, from filters over RLS to delivery
- `follower`: the stream followed: batches in order, retries, notices of lost changes
"""
