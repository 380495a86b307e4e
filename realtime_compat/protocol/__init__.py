"""The channel protocol without any input or output: bytes and times in, effects out.

In import order:

- `messages`: what travels: client frames and server frames as values
- `codec`: the serializers 1.0.0 and 2.0.0, and envelopes that encode once for each
- `join_config`: the payload of a join, and every fault in it
- `limits`: the numbers, and rates over a sliding window, on passed-in time
- `presence`: who is in a room: joins and leaves in, differences and state out
- `questions`: what a connection asks of the database, and the answers
- `effects`: what a connection wants done
- `deliveries`: what it is given for its channels, encoded once for all
- `rules`: keys, limits and counters that all channels obey
- `state`: the states of a membership, and the table of transitions
- `channel`: one membership of a topic
- `joining`, `broadcasting`, `presence_calls`, `token_changes`: what a client's pushes cause
- `client_events`: the table of those pushes
- `topics`: a socket's channels, their paused handlers, and what is held back meanwhile
- `admission`: the checks of a join that need no database
- `connection`: one socket: joins, heartbeats, deliveries, time-outs
"""
