-- What a table, function or sequence made in public by the migrating user grants at its birth:
-- everything to the three API roles, as on Supabase, where row-level security is the guard.
-- A migration that wants less revokes it in the same file.

alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges in schema public
  grant all on functions to anon, authenticated, service_role;
alter default privileges in schema public
  grant all on sequences to anon, authenticated, service_role;
