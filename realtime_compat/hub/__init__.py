"""Delivery of messages and presence to the channels of this process.

In import order:

- `announcements`: messages between nodes, and the hub as a bus sees it
- `presence`: who is present in which room
- `hub`: rooms and their members, local fan-out
"""

from realtime_compat.hub.announcements import (
    Announcement,
    HubPort,
    Published,
    Tracked,
    Untracked,
)
from realtime_compat.hub.hub import GATHER_FROM, Hub

__all__ = ["GATHER_FROM", "Announcement", "Hub", "HubPort", "Published", "Tracked", "Untracked"]
