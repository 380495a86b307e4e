"""A stand-in for Supabase Storage: buckets and objects under row-level security.

In import order:

- `errors`: every answer that is not a success
- `settings`: the original's variables as frozen records
- `model/`: one frozen record a table
- `rules/`: decisions as pure functions
- `store/`: SQL beside its callers
- `files/`: where the bytes are, and who removes those that no row names
- `ports`: what flows need from the world
- `flows/`: use cases, one file each
- `web/`: HTTP in and out, the table of routes, and one request's way
- `app`: composition
- `process/`: what the command line does besides serving
"""

from storage_compat.app import open_service
from storage_compat.settings import Settings

__all__ = ["Settings", "open_service"]
