"""An authentication service that stands in for Supabase Auth (GoTrue v2.196).

In import order:

- `errors`: every answer that is not a success
- `rules/`: decisions as pure functions
- `settings/`: the `GOTRUE_*` variables as frozen records
- `model/`: one frozen record per table
- `ports`: what flows need from the world
- `limits`: token buckets of one process
- `store/`: SQL beside its callers
- `mail/`: what mails say
- `adapters/`: the ports' real versions
- `providers/`: identity providers, one file each
- `flows/`: accounts, sessions, tokens, mail: one file per use case
- `features/`: OAuth server, SSO, passkeys, second factors, wallets, providers, administration
- `web/`: HTTP in and out, and the table of routes
- `service`: one request's way
- `app`: composition
- `process/`: what the command line does besides serving
"""

from gotrue_compat.app import open_service
from gotrue_compat.settings import Settings

__all__ = ["Settings", "open_service"]
