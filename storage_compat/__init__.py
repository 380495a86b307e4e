"""A stand-in for Supabase Storage: buckets and objects under row-level security.

In import order:

- `errors`: every answer that is not a success
- `model/`: one frozen record a table
- `settings`: the original's variables as frozen records
- `rules/`: decisions as pure functions
- `store/`: SQL beside its callers
- `files/`: stores of bytes, and their garbage collection
- `ports`: the dependencies of flows, and the context of a request
- `flows/`: use cases, one file each
- `web/`: HTTP in and out, the table of routes
- `app`: composition
- `process/`: the command line's other commands
"""

from storage_compat.app import open_service
from storage_compat.settings import Settings

__all__ = ["Settings", "open_service"]
