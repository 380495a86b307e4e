"""An authentication service that stands in for Supabase Auth (GoTrue v2.196).

In import order:

- `errors`: answers that are not a success and that several features give
- `bounded_cache`: a cache that callers cannot fill
- `model/`: one frozen record per table
- `ports`: what flows need of the world
- `urls/`: return addresses, links
- `providers/`: identity providers, one file each
- `settings/`: the `GOTRUE_*` variables as frozen records
- `http/`: requests as features read them; the row of a route
- `rules/`: decisions as pure functions
- `store/`: SQL beside its callers
- `mail/`: what mails say
- `adapters/`: the ports' real versions
- `core/`: accounts, sessions, tokens, mail: what features share
- `features/`: everything that has a route: each its bodies, flows, errors and routes
- `web/`: the table of routes, answers, translations; one request's way
- `app/`: composition, and what the command line does besides serving
"""

from gotrue_compat.app.composition import open_service
from gotrue_compat.settings import Settings

__all__ = ["Settings", "open_service"]
