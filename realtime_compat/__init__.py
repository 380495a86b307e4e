"""A stand-in for Supabase Realtime: channels, broadcast, presence and changes of tables.

In import order:

- `errors`: every refusal and text of the service
- `auth`: verification of tokens: signature, claims, retired keys, revoked sessions
- `protocol/`: limits, and the channel protocol as pure functions of frames and times
- `changes/`: decoding, filtering and rendering of table changes, pure
- `settings`: the variables of the original, read and checked
- `access/`: queries: topic authorization, RLS checks, catalog, subscriptions, revoked sessions
- `hub`: rooms, their members and presence; local fan-out
- `replication/`: the logical replication stream, read and resumed
- `cluster/`: several nodes as one, by Redis publish/subscribe; several processes, by a broker
- `subscriptions`: postgres_changes entries of joins, validated, recorded and indexed
- `dispatch/`: the stream followed; changes and stored messages routed to those that may see them
- `transports/`: WebSocket, long poll, broadcasts over HTTP
- `admin/`: metrics, health checks
- `app/`: the service composed, in one process or several
"""

from realtime_compat.app import open_bridge, open_log_reader, open_service
from realtime_compat.settings import Settings

__all__ = ["Settings", "open_bridge", "open_log_reader", "open_service"]
