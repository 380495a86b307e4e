"""A stand-in for Supabase Realtime: channels, broadcast, presence and changes of tables.

In import order:

- `errors`: every refusal and text of the service
- `tokens`: what is asked of a token, and the caller it speaks for
- `settings`: the variables of the original, read and checked
- `protocol/`: the channel protocol without input or output
- `changes/`: changes of tables as values, also without
- `wal/`: the write-ahead log as a stream of transactions
- `access/`: what only the database can say: topics, rows, tables
- `slices`, `comparisons`: long work that lets the loop go; conditions only PostgreSQL can judge
- `hub`: rooms and members: the meeting point
- `subscriptions`: from requested entries to live subscriptions
- `deliveries`, `stored`: changes and stored messages, given to channels
- `sight`, `lanes`: who sees a row, and who is too slow to be waited for
- `feed`, `replication`: transactions decided in order; the stream followed, losses told
- `nodes/`: several nodes as one, by Redis
- `outbox`, `socket`: the WebSocket shell
- `longpoll`: the same over plain HTTP
- `broadcasts`: broadcasts over HTTP
- `metrics`, `operators`: the service's figures; what operators ask
- `app`: everything joined together
"""

from realtime_compat.app import open_service
from realtime_compat.settings import Settings

__all__ = ["Settings", "open_service"]
