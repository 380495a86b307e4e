"""An authentication service that stands in for Supabase Auth (GoTrue v2.196).

In import order:

- `settings`: the `GOTRUE_*` variables as frozen records
- `errors`: every answer that is not a success
- `model`: one frozen record per table
- `rules`: decisions as pure functions
- `store`: SQL beside its callers
- `limits`: token buckets of one process
- `turns`: requests for one thing take turns
- `ports`: what flows need from the world
- `mail`: what mails say
- `adapters`: the ports' real versions
- `providers`: identity providers, one file each
- `flows`: one file per use case
- `web`: HTTP in and out, and the table of routes
- `service`: one request's way
- `app`: composition
- `reloading`: settings that are read again while it runs
- `migrate`, `administration`: what the command line does besides serving
"""

from gotrue_compat.app import open_service
from gotrue_compat.settings import Settings

__all__ = ["Settings", "open_service"]
