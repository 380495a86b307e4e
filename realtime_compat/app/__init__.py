"""The service composed.

In import order:

- `pools`: connection pools, by statement timeout
- `composition`: the parts, joined
- `nodes`: a node's bus, log and long polls: alone, as a worker, as a machine
- `service`: the ASGI application
- `workers`: several processes of it alone, with their broker and readers of the log
"""

from realtime_compat.app.nodes import open_bridge, open_log_reader
from realtime_compat.app.service import App, open_service

__all__ = ["App", "open_bridge", "open_log_reader", "open_service"]
