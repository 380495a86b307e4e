-- Whom the stack's background worker logs in as: it sends the requests of pg_net, begins the jobs of
-- pg_cron and hands on messages, and may do nothing beyond. A job runs in a session of its owner's.

do $role$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'compat_background') then
    create role compat_background login noinherit;
  end if;
exception
  when duplicate_object or unique_violation then
    null;  -- another database of this cluster was migrated at the same moment
end
$role$;

-- The worker's rights on what there is of pg_net and pg_cron, whose scripts give them to what they
-- make: called at each migration. Tables of somebody else's are none of its.
create or replace function compat.let_background_in() returns void
language plpgsql volatile set search_path = ''
as $$
declare
  given record;
begin
  for given in
    select t.kind, t.rights, t.space, t.name
    from (values
      ('schema', 'usage', 'compat', null),
      ('schema', 'usage', 'net', null),
      ('table', 'select, update, delete', 'net', 'http_request_queue'),
      ('table', 'select, insert, delete', 'net', '_http_response'),
      ('schema', 'usage', 'cron', null),
      ('table', 'select', 'cron', 'job'),
      ('table', 'select, insert, update, delete', 'cron', 'job_run_details'),
      ('table', 'select, insert, update', 'cron', '_last_tick'),
      ('sequence', 'usage', 'cron', 'runid_seq')
    ) as t (kind, rights, space, name)
    join pg_catalog.pg_namespace as n on n.nspname = t.space
    left join pg_catalog.pg_class as c on c.relnamespace = n.oid and c.relname = t.name
    where (t.name is null or c.oid is not null)
      and pg_catalog.pg_has_role(current_user, coalesce(c.relowner, n.nspowner), 'usage')
  loop
    execute pg_catalog.format(
      'grant %s on %s %I%s to compat_background', given.rights, given.kind, given.space,
      '.' || pg_catalog.quote_ident(given.name)
    );
  end loop;
  for given in
    select c.relname
    from pg_catalog.pg_class as c
    join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
    where n.nspname = 'cron' and c.relname in ('job', 'job_run_details') and c.relrowsecurity
      and pg_catalog.pg_has_role(current_user, c.relowner, 'usage')
      and not exists (
        select from pg_catalog.pg_policy
        where polrelid = c.oid and polname = 'compat_background_policy'
      )
  loop
    execute pg_catalog.format(
      'create policy compat_background_policy on cron.%I to compat_background using (true)',
      given.relname
    );
  end loop;
end
$$;
comment on function compat.let_background_in() is
  'Gives the background worker its rights on the tables of pg_net and pg_cron.';
revoke all on function compat.let_background_in() from public;

-- A login role from which a session can become one owner of jobs and nobody else: `reset role` in a
-- job's command finds a role without rights. The worker alone calls it, for whoever has a job or the
-- queue of messages.
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
  perform pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('compat.job_login'));
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
comment on function compat.job_login(name, text) is
  'Makes the login role for the jobs of one owner, with a password; its name.';
revoke all on function compat.job_login(name, text) from public;
grant execute on function compat.job_login(name, text) to compat_background;
