"""The write-ahead log as a stream of transactions.

In import order:

- `tables`: tables by name, and the broker's topics of their changes; pure
- `raw`: transactions framed and not decoded, as the reader hands them to workers; pure
- `standby_slot`: a copy of the streaming slot, and the thread that keeps it
- `thread_events`: events that a thread hands to an event loop
- `stream`: the thread that reads the stream, reopens it, and hands transactions over
- `led`: leader election between the two processes of a machine that can read it
- `log_protocol`: messages between a machine's log reader and its workers; pure
- `log_reader`: the one reader of the log for all workers of a machine
- `remote_stream`: a worker's end of it
"""
