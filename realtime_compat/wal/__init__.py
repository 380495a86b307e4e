"""The write-ahead log as a stream of transactions: knows PostgreSQL, knows no socket.

- `slot`: a replication connection with a temporary slot, streaming
- `stream`: the thread that reads it, starts it anew, and hands transactions over
"""
