"""A stand-in for Supabase Realtime: channels, broadcast, presence and changes of tables.

In import order:

- `errors`: every refusal and text of the service
- `auth`: what is asked of a token, and the caller it speaks for
- `settings`: the variables of the original, read and checked
- `protocol/`: the channel protocol without input or output
- `changes/`: changes of tables as values, also without
- `access/`: what only the database can say: topics, rows, tables, sessions
- `hub`: rooms and members: the meeting point
- `subscriptions`: from requested entries to live subscriptions
- `dispatch/`: changes and stored messages to those who may hear of them
- `replication/`: the write-ahead log as a stream of transactions, followed, losses told
- `cluster/`: several nodes as one, by Redis
- `revocation`: what belongs to a revoked session ends
- `transports/`: WebSocket, long poll, broadcasts over HTTP
- `admin/`: the service's figures; what operators ask
- `app`: everything joined together
"""

from realtime_compat.app import open_service
from realtime_compat.settings import Settings

__all__ = ["Settings", "open_service"]
