-- Whom a job runs as is checked by a trigger. It fires also where session_replication_role turns
-- triggers off, which the project's owner may do: a job of that owner's could name a superuser.
do $always$
begin
  if exists (
    select from pg_catalog.pg_trigger as t
    join pg_catalog.pg_class as c on c.oid = t.tgrelid
    where t.tgrelid = to_regclass('cron.job') and t.tgname = 'job_check'
      and t.tgfoid = to_regprocedure('cron._check()')
      and pg_has_role(current_user, c.relowner, 'usage')
  ) then
    alter table cron.job enable always trigger job_check;
  end if;
end
$always$;

-- What a superuser writes has no trigger of the project's, as in 0010.
do $ledger$
begin
  if to_regclass('supabase_functions.migrations') is not null then
    revoke trigger on supabase_functions.migrations from postgres, service_role;
  end if;
end
$ledger$;

-- The login role of a job's owner may become that owner. So a superuser has none: the project's owner,
-- who may make roles, can on some servers log in as it. Nor has anybody where that owner made a role of
-- its name before.
create or replace function compat.job_login(owner name, password text) returns name
language plpgsql volatile security definer set search_path = ''
as $$
declare
  login name := (
    select 'compat_job_' || oid from pg_catalog.pg_roles where rolname = job_login.owner
  );
  has_work boolean := exists (
    select from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where n.nspname = 'recados' and c.relname = 'cola'
      and pg_catalog.pg_get_userbyid(c.relowner) = job_login.owner
  );
begin
  if login is null then
    raise exception 'role "%" does not exist', job_login.owner using errcode = '42704';
  end if;
  if not has_work and exists (
    select from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    join pg_catalog.pg_roles as r on r.oid = c.relowner
    where n.nspname = 'cron' and c.relname = 'job'
      and (r.rolsuper or r.rolname = current_user)
  ) then
    execute 'select exists (select from cron.job where username = $1)'
      into has_work using job_login.owner;
  end if;
  if not has_work then
    raise exception 'role "%" has no job', job_login.owner using errcode = '42501';
  end if;
  if exists (
    select from pg_catalog.pg_roles where rolname = job_login.owner and rolsuper
  ) then
    raise exception 'role "%" is a superuser, whose jobs are run for nobody', job_login.owner
      using errcode = '42501';
  end if;
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('compat.job_login'));
  if exists (
    select from pg_catalog.pg_auth_members as m
    join pg_catalog.pg_roles as r on r.oid = m.roleid and r.rolname = login
    where m.member <> current_user::pg_catalog.regrole
  ) then
    raise exception 'role "%" was made by somebody else: drop it', login using errcode = '42501';
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = login) then
    execute pg_catalog.format('create role %I noinherit', login);
  end if;
  execute pg_catalog.format('alter role %I login noinherit password %L', login, password);
  if not pg_catalog.pg_has_role(login, job_login.owner, 'member') then
    execute pg_catalog.format('grant %I to %I', job_login.owner, login);
  end if;
  return login;
end
$$;
