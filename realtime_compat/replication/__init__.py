"""The write-ahead log as a stream of transactions.

- `stream`: the thread that reads it, starts it anew, and hands transactions over
- `raw`: transactions framed and not decoded, as the reader hands them to workers; pure
- `tables`: tables by name, and the topics of their changes; pure
- `led`: a stream of which a machine has two processes: one streams, the other is its heir
- `shared`: one reader of the log for all workers of a machine
"""
