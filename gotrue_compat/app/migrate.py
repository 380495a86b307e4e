"""The schema that the service needs; as the service's own role, the auth tables alone."""

from __future__ import annotations

from collections.abc import Callable

from compat_base.postgres.service_migrations import migrate_service

# Roles that functions of the schema are granted to: a server with the original alone has none
_ROLES = """
do $roles$
declare
  wanted text;
begin
  foreach wanted in array array['anon', 'authenticated', 'service_role'] loop
    if not exists (select from pg_catalog.pg_roles where rolname = wanted) then
      execute format('create role %I nologin noinherit', wanted);
    end if;
  end loop;
exception
  when duplicate_object or unique_violation then
    null;  -- another node made them at the same moment
end
$roles$
"""


async def migrate(url: str, progress: Callable[[str], None]) -> None:
    """Apply what is missing; MigrationError, PgFault or Unavailable where it cannot be.

    A superuser gets the roles and schemas of the platform first. Any other role must find the
    schema `auth` and itself there, as the original must; it makes the API's roles where there are
    none, and leaves alone what the composed stack migrates.
    """
    await migrate_service(url, "auth", progress, before=_ROLES)
