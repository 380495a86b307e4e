-- The roles that this database's objects, grants and policies name, as statements: no role that is
-- there already is changed by them. Passwords are not among them.
with recursive named as (
  select r.oid
  from pg_catalog.pg_roles as r
  where r.rolname in (
    'anon', 'authenticated', 'service_role',
    'authenticator', 'supabase_auth_admin', 'supabase_realtime_admin'
  )
  or exists (
    select
    from pg_catalog.pg_shdepend as d
    where d.refclassid = 'pg_catalog.pg_authid'::regclass
      and d.refobjid = r.oid
      and d.dbid = (select oid from pg_catalog.pg_database where datname = current_database())
  )
  union
  select m.roleid
  from pg_catalog.pg_auth_members as m
  join named on m.member = named.oid
),
wanted as (
  select r.*
  from pg_catalog.pg_roles as r
  join named using (oid)
  where not r.rolsuper and r.rolname !~ '^pg_' and r.rolname <> current_user
),
settings as (
  select
    s.setrole,
    s.setdatabase,
    split_part(entry, '=', 1) as name,
    substr(entry, strpos(entry, '=') + 1) as value
  from pg_catalog.pg_db_role_setting as s
  cross join unnest(s.setconfig) as entry
),
worded as (
  select
    setrole,
    setdatabase,
    format(
      'set %I to %s',
      name,
      case
        when name in (
          'search_path', 'temp_tablespaces', 'session_preload_libraries', 'local_preload_libraries'
        )
        -- Only a list of names is SQL as it stands; "set from current" keeps what it is given.
        and value ~ '^\s*("([^"]|"")*"|[\w$]+)(\s*,\s*("([^"]|"")*"|[\w$]+))*\s*$' then value
        else quote_literal(value)
      end
    ) as text
  from settings
)
-- A body as a literal: no name can end it, as it could a dollar quote.
select format('do %L;', text)
from (
  select
    1 as step,
    r.rolname as name,
    format(
      'begin if not exists (select from pg_catalog.pg_roles where rolname = %L) then'
      ' create role %I %s %s %s %s; %s %s end if; end',
      r.rolname,
      r.rolname,
      case when r.rolcanlogin then 'login' else 'nologin' end,
      case when r.rolinherit then 'inherit' else 'noinherit' end,
      case when r.rolcreatedb then 'createdb' else 'nocreatedb' end,
      case when r.rolcreaterole then 'createrole' else 'nocreaterole' end,
      (
        select string_agg(
          format(
            'begin alter role %I %s; exception when insufficient_privilege then'
            ' raise warning ''%%'', %L; end;',
            r.rolname, privileged.word,
            format('an administrator has to run: alter role %I %s', r.rolname, privileged.word)
          ),
          ' '
        )
        from (values (r.rolbypassrls, 'bypassrls'), (r.rolreplication, 'replication'))
          as privileged (is_set, word)
        where privileged.is_set
      ),
      (
        select string_agg(format('alter role %I %s;', r.rolname, w.text), ' ')
        from worded as w
        where w.setrole = r.oid and w.setdatabase = 0
      )
    ) as text
  from wanted as r
  union all
  select
    2,
    m.rolname,
    format(
      'begin if not pg_has_role(%L, %L, ''member'') then grant %I to %I; end if; end',
      m.rolname, g.rolname, g.rolname, m.rolname
    )
  from pg_catalog.pg_auth_members as a
  join wanted as m on m.oid = a.member
  join wanted as g on g.oid = a.roleid
  union all
  select
    3,
    '',
    format(
      'begin execute format(%L, %scurrent_database()); end',
      case
        when w.setrole = 0 then 'alter database %I ' || replace(w.text, '%', '%%')
        else 'alter role %I in database %I ' || replace(w.text, '%', '%%')
      end,
      case when w.setrole = 0 then '' else quote_literal(r.rolname) || ', ' end
    )
  from worded as w
  left join wanted as r on r.oid = w.setrole
  where w.setdatabase = (select oid from pg_catalog.pg_database where datname = current_database())
    and (w.setrole = 0 or r.oid is not null)
) as statements
order by step, name, text
