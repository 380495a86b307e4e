"""HTTP to addresses that users set: connected to public ones only, their answers bounded.

In import order:

- `bounded_network`: connections of httpcore2 that read an answer in pieces, up to a bound
- `guarded`: a client that resolves and checks the address itself (SSRF protection)
"""

from compat_base.egress.guarded import ForbiddenError, open_guarded, tls_context

__all__ = ["ForbiddenError", "open_guarded", "tls_context"]
