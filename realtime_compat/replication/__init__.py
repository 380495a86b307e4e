"""The write-ahead log as a stream of transactions, and what follows it.

- `slot`: a replication connection with a temporary slot, streaming
- `stream`: the thread that reads it, starts it anew, and hands transactions over
- `follower`: order, retries, and losses told
"""
