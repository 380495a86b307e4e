"""Several nodes as one: broadcasts and presence by Redis or Valkey publish/subscribe.

Nothing is stored there, so nothing is left behind. Changes of tables and stored messages do not
cross: every node streams its own slot.

In import order:

- `messages`: the messages between nodes, as values
- `wire`: those messages as bytes
- `signing`: messages signed with the project's secret, verified, each accepted once; pure
- `waiting`: the queue of messages for Redis, bounded for each room; pure
- `outgoing`: outgoing messages in order, held and sent again where Redis is away; pure
- `peers`: the other nodes: message counts, members, time-outs; pure
- `channels`: which rooms' channels of Redis are subscribed to
- `heartbeats`: signs of life, members and load, sent again and again
- `redis_connection`: channels subscribed to, messages published
- `calls`: requests to a worker of another machine, and its replies
- `bus`: this node's messages and the others', by Redis
- `machine`: the bus between the workers of one machine, by its broker
- `bridge`: relays between the workers' bus and Redis
"""
