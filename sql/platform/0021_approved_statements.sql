-- The project's files run in a session that logged in as the project's owner, who is no superuser: no
-- code of that owner's can become the administrator there. The few statements that only an
-- administrator may run are called by name in such a file; the migrating process approves them before.

create table if not exists compat.approved_statements (
  id bigint generated always as identity,
  statement text not null,
  is_pattern boolean not null,
  constraint approved_statements_pkey primary key (id)
);
comment on table compat.approved_statements is
  'What files of the project that are being applied have the administrator run.';
revoke all on compat.approved_statements from public;

create or replace function compat.is_approved(statement text) returns boolean
language sql stable security definer set search_path = ''
as $$
  select exists (
    select from compat.approved_statements as a
    where case
      when a.is_pattern then is_approved.statement ~* a.statement
      else a.statement = is_approved.statement
    end
  )
$$;
comment on function compat.is_approved(text) is
  'Whether the migrating process approved this statement.';
revoke all on function compat.is_approved(text) from public;

-- No search_path of its own: a statement finds what its file would. What is called here is found in a
-- named schema with its very arguments.
create or replace procedure compat.administrate(statement text)
language plpgsql security definer
as $$
begin
  if not compat.is_approved(statement) then
    raise exception 'the administrator runs what a migration says, and nothing else'
      using errcode = '42501';
  end if;
  execute statement;
  perform pg_catalog.pg_notify('pgrst', 'reload schema');
end
$$;
comment on procedure compat.administrate(text) is
  'Runs a statement of a migration that needs an administrator.';
revoke all on procedure compat.administrate(text) from public;

do $rights$
begin
  -- An event trigger of the project's would run as the administrator; before 17 it cannot be kept out.
  if current_setting('server_version_num')::integer >= 170000
    and (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
  then
    alter procedure compat.administrate(text) set event_triggers to off;
  end if;
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres') then
    grant usage on schema compat to postgres;
    grant execute on procedure compat.administrate(text) to postgres;
  end if;
end
$rights$;
