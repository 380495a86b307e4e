"""Several nodes as one: broadcasts and presence cross by Redis or Valkey publish/subscribe.

Nothing is stored there, so nothing is left behind. Changes of tables and stored messages do not
cross: every node streams its own slot.

- `wire`: messages between nodes as bytes
- `signing`: messages signed with the project's secret, verified, and taken once; pure
- `waiting`: the queue of what Redis has not taken yet, bounded room by room; pure
- `outgoing`: outgoing messages in order, held and sent again where Redis is away; pure
- `peers`: what is known of the other nodes: counts in order, silence noticed; pure
- `bus`: the connection to Redis
- `machine`: the workers of one machine as one, by its broker
- `bridge`: the machine as one node among others: what its workers say goes to the bus, and back
"""
