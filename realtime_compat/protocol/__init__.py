"""The channel protocol without any input or output: frames and times in, effects out.

In import order:

- `messages`: client frames and server frames as values
- `codec`: the serializers 1.0.0 and 2.0.0
- `join_config`: the payload of a join, and every fault in it
- `limits`: the limits, and rates over a sliding window, on passed-in time
- `presence`: presence of a room: joins and leaves in, differences and state out
- `questions`: questions of a connection to the database, and the answers
- `effects`: the effects that a connection asks of its shell
- `deliveries`: deliveries to channels, encoded once for all
- `rules`: keys, limits and counters that all channels obey
- `state`: the states of a membership, and the table of transitions
- `channel`: one membership of a topic
- `joining`, `broadcasting`, `presence_calls`, `token_changes`: handlers of a client's pushes
- `client_events`: the table of those pushes
- `topics`: a socket's channels, their paused handlers, and held-back frames
- `admission`: the checks of a join that need no database
- `connection`: one socket: joins, heartbeats, deliveries, time-outs
"""
