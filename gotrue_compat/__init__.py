"""An authentication service that stands in for Supabase Auth (GoTrue v2.196).

In import order:

- `errors`: errors that several features answer
- `bounded_cache`: an LRU cache bounded by weight
- `model/`: one frozen record per table
- `ports`: protocols of the adapters, and the values they exchange
- `urls/`: allowed redirects, links
- `providers/`: identity providers, one file each
- `mail/`: templates and texts of mails
- `settings/`: the `GOTRUE_*` variables as frozen records
- `http/`: requests as features read them; the row of a route
- `rules/`: decisions as pure functions
- `store/`: SQL beside its callers
- `adapters/`: implementations of the ports
- `core/`: accounts, sessions, tokens, mail: what features share
- `features/`: the features of the API: each its bodies, flows, errors and routes
- `web/`: the table of routes, answers, translations; serving a request
- `app/`: composition, and the command line's other commands
"""

from gotrue_compat.app.composition import open_service
from gotrue_compat.settings import Settings

__all__ = ["Settings", "open_service"]
