"""A stand-in for Supabase Realtime: channels, broadcast, presence and changes of tables.

In import order:

- `errors`: every refusal and text of the service
- `auth`: verification of tokens: signature, claims, retired keys, revoked sessions
- `settings`: the variables of the original, read and checked
- `protocol/`: the channel protocol as pure functions of frames and times
- `changes/`: decoding, filtering and rendering of table changes, pure
- `access/`: queries: topic authorization, RLS checks, catalog, subscriptions, sessions
- `hub`: rooms, their members and presence; local fan-out
- `subscriptions`: postgres_changes entries of joins, validated, recorded and indexed
- `dispatch/`: changes and stored messages routed to the channels that may see them
- `replication/`: the logical replication stream, followed and resumed
- `cluster/`: several nodes as one, by Redis publish/subscribe
- `revocation`: channels and sockets of revoked sessions are closed
- `transports/`: WebSocket, long poll, broadcasts over HTTP
- `admin/`: metrics, health checks
- `app/`: the service composed
- `workers`: several processes of it alone, with their broker and readers of the log
"""

from realtime_compat.app import open_bridge, open_log_reader, open_service
from realtime_compat.settings import Settings

__all__ = ["Settings", "open_bridge", "open_log_reader", "open_service"]
