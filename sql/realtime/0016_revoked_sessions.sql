-- Who has signed out, was banned or deleted hears nothing more: the service is told at once.
--
-- The channel realtime_revoked carries the numbers of sessions that are gone, separated by commas,
-- or `*`: look at all of yours. Deletes that a user's own delete brings along say `*`, which
-- PostgreSQL tells once a transaction however many there are.

create or replace function realtime.tell_revoked_sessions()
returns trigger
language plpgsql
volatile
as $$
declare
  gone text;
begin
  if pg_trigger_depth() > 1 or (select count(*) from (select from deleted limit 201) as d) > 200 then
    gone := '*';
  else
    select string_agg(id::text, ',') into gone from deleted;
  end if;
  if gone is not null then
    perform pg_notify('realtime_revoked', gone);
  end if;
  return null;
end
$$;

create or replace function realtime.tell_changed_users()
returns trigger
language plpgsql
volatile
as $$
begin
  perform pg_notify('realtime_revoked', '*');
  return null;
end
$$;

-- Which of these sessions are gone, or belong to users who are banned or deleted. Where no auth
-- schema is, nobody can sign out.
create or replace function realtime.revoked_sessions(sessions uuid[])
returns setof uuid
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  if to_regclass('auth.sessions') is null or to_regclass('auth.users') is null then
    return;
  end if;
  return query
    select asked.id
    from unnest(sessions) as asked (id)
    where not exists (
      select
      from auth.sessions s
      join auth.users u on u.id = s.user_id
      where s.id = asked.id and u.deleted_at is null
        and (u.banned_until is null or u.banned_until <= now())
    );
end
$$;

comment on function realtime.revoked_sessions(uuid[]) is
  'Those of these sessions that are gone, or whose users are banned or deleted.';

do $triggers$
begin
  if to_regclass('auth.sessions') is not null and to_regclass('auth.users') is not null then
    create or replace trigger tell_revoked_sessions
      after delete on auth.sessions
      referencing old table as deleted
      for each statement execute function realtime.tell_revoked_sessions();
    create or replace trigger tell_changed_users
      after update on auth.users
      for each row
      when (
        old.banned_until is distinct from new.banned_until
        or old.deleted_at is distinct from new.deleted_at
      )
      execute function realtime.tell_changed_users();
  end if;
exception
  when insufficient_privilege then  -- the service looks at its sessions by itself, twice a minute
    raise warning 'realtime is not told of sessions that are revoked: %', sqlerrm;
end
$triggers$;

revoke execute on function realtime.revoked_sessions(uuid[]) from public;
grant execute on function realtime.revoked_sessions(uuid[]) to supabase_realtime_admin;
