"""Attacks on a running stack: what they cost it, and what honest callers see meanwhile.

A row is an `Attack` or a function of a `Target` that prints; both are listed below.
The stack takes the callers' addresses from `X-Forwarded-For`, as behind a proxy.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from bench.abuse import Target, print_honest, print_memory
from bench.abuse_auth import auth_attacks, measure_auth
from bench.abuse_realtime import measure_sockets
from bench.abuse_rest import SCHEMA, large_bodies, measure_parsing
from bench.abuse_server import CONNECTIONS, measure_server, server_attacks
from tests.harness_stack import ROOT, start_stack

_HONEST = ("/rest/v1/abuse?limit=1", "/auth/v1/health")
_REQUESTS = 300
_MEASURES = (measure_parsing, measure_sockets, measure_server, measure_auth)
_ATTACKS = (large_bodies, server_attacks, auth_attacks)


def main() -> None:
    """Print the figures."""
    with tempfile.TemporaryDirectory(prefix=".data-bench-", dir=ROOT) as folder:
        migrations = Path(folder) / "migrations"
        migrations.mkdir()
        (migrations / "20260101000000_abuse.sql").write_text(SCHEMA)
        stack = start_stack(
            Path(folder) / "data",
            MIGRATIONS_DIR=str(migrations),
            TRUSTED_PROXIES="127.0.0.1",
            HTTP_CONNECTIONS=str(CONNECTIONS),
        )
        try:
            address = urlsplit(stack.url)
            target = Target(
                stack.process.pid,
                address.hostname or "",
                address.port or 0,
                stack.keys["SUPABASE_ANON_KEY"],
            )
            for measure in _MEASURES:
                measure(target)
            print_honest(target, None, _HONEST, _REQUESTS)
            attacks = [attack for attacks in _ATTACKS for attack in attacks()]
            for attack in attacks:
                print_honest(target, attack, _HONEST, _REQUESTS)
            for attack in attacks:
                print_memory(target, attack)
        finally:
            stack.stop()


if __name__ == "__main__":
    main()
