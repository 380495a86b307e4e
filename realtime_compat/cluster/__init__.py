"""Several nodes as one: broadcasts and presence cross by Redis or Valkey publish/subscribe.

Nothing is stored there, so nothing is left behind. Changes of tables and stored messages do not
cross: every node streams its own slot.

- `wire`: what nodes tell each other, as bytes
- `door`: which bytes are a letter of this project, heard for the first time; pure
- `waiting`: what Redis has not taken yet, bounded room by room; pure
- `outgoing`: what this node says, in its order, held while Redis is away; pure
- `peers`: what is known of the other nodes: numbers in order, silence noticed; pure
- `bus`: the connection to Redis
- `machine`: the workers of one machine as one, by its broker
- `bridge`: the machine as one node among others: what its workers say goes to the bus, and back
"""
