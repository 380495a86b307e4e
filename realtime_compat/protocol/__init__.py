"""The channel protocol without any input or output: bytes and times in, effects out.

In import order:

- `messages`: what travels: client frames and server frames as values
- `codec`: the serializers 1.0.0 and 2.0.0, and envelopes that encode once for each
- `join_config`: the payload of a join, and every fault in it
- `limits`: rates over a sliding window, on passed-in time
- `presence`: who is in a room: joins and leaves in, differences and state out
- `effects`: what a connection wants done, and what it may be told
- `channel`: the law of one membership
- `connection`: one socket: channels by topic, heartbeats, time-outs
"""
