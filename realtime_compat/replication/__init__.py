"""The write-ahead log as a stream of transactions, and what follows it.

- `stream`: the thread that reads it, starts it anew, and hands transactions over
- `follower`: order, retries, and losses told
"""
