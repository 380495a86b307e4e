-- Deletes that only those hear of who could see the row.
--
-- The original tells everybody whose filters pass that a row with this key is gone: the row cannot
-- be looked at any more, so no policy can be asked. A project that wants not even that known marks
-- its table here. Its replica identity becomes full, so the stream carries the old row, and the
-- service asks the table's select policies about that row's values instead.

create table if not exists realtime.guarded_tables (
  entity regclass not null,
  constraint guarded_tables_pkey primary key (entity)
);

comment on table realtime.guarded_tables is
  'Tables whose deletes are told only to those who could see the row; see realtime.guard_deletes.';

alter table realtime.guarded_tables owner to supabase_realtime_admin;
alter table realtime.guarded_tables enable row level security;

create or replace function realtime.guard_deletes(entity regclass)
returns void
language plpgsql
volatile
as $$
begin
  execute format('alter table %s replica identity full', entity);
  insert into realtime.guarded_tables (entity) values (guard_deletes.entity) on conflict do nothing;
end
$$;

-- What the table's policies demand of a row before `role` may see it, as an SQL condition: one of
-- the permissive ones and all of the restrictive ones, as PostgreSQL combines them.
create or replace function realtime.select_condition(entity regclass, role text)
returns text
language sql
stable
as $$
  select case
    when not c.relrowsecurity
      or r.rolsuper or r.rolbypassrls
      or (not c.relforcerowsecurity and pg_has_role(r.oid, c.relowner, 'usage'))
      then 'true'
    else concat_ws(
      ' and ',
      coalesce('(' || p.permissive || ')', 'false'),
      p.restrictive
    )
  end
  from pg_catalog.pg_class c
  join pg_catalog.pg_roles r on r.rolname = select_condition.role
  cross join lateral (
    select
      string_agg(format('(%s)', condition), ' or ') filter (where polpermissive) as permissive,
      string_agg(format('(%s)', condition), ' and ') filter (where not polpermissive)
        as restrictive
    from (
      select polpermissive, coalesce(pg_get_expr(polqual, polrelid), 'true') as condition
      from pg_catalog.pg_policy
      where polrelid = entity and polcmd in ('r', '*')
        and exists (
          select
          from unnest(polroles) as named (id)
          where named.id = 0 or pg_has_role(r.oid, named.id, 'usage')
        )
    ) as applicable
  ) as p
  where c.oid = entity
$$;

-- Does the condition hold for the values of each old row? The row is rebuilt with the table's own
-- row type under the table's own name, so that a policy's text means here what it means there.
create or replace function realtime.old_row_question(
  entity regclass, old_rows jsonb, condition text
)
returns realtime.question
language sql
stable
as $$
  with gone as (
    select
      o.n,
      format('row(%s)::%I.%I', string_agg(
        format('%L::%s', o.old_row ->> a.attname, format_type(a.atttypid, a.atttypmod)),
        ', ' order by a.attnum
      ), s.nspname, c.relname) as value,
      c.relname
    from jsonb_array_elements(old_rows) with ordinality as o (old_row, n)
    join pg_catalog.pg_class c on c.oid = entity
    join pg_catalog.pg_namespace s on s.oid = c.relnamespace
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    group by o.n, s.nspname, c.relname
  )
  select
    case
      when count(*) = 0 then 'select array[]::boolean[]'
      else format(
        'select array_agg(coalesce(seen.it, false) order by gone.n) from (values %s) as gone (n, row)'
        ' left join lateral (select (%s) as it from (select (gone.row).*) as %I) as seen on true',
        string_agg(format('(%s, %s)', n, value), ', '), condition, min(relname)
      )
    end,
    coalesce(array_agg(
      format('(select %s from (select (%s).*) as %I)', condition, value, relname) order by n
    ), '{}')
  from gone
$$;

create or replace function realtime.old_visible_to(
  entity regclass, old_rows jsonb, roles text[], claims text[]
)
returns table (entry integer, visible boolean[], errors text[])
language sql
volatile
as $$
  select callers.numbers[a.n], a.visible, a.errors
  from (
    select c.role, array_agg(c.claims order by c.n) as claims, array_agg(c.n::integer order by c.n) as numbers
    from unnest(old_visible_to.roles, old_visible_to.claims) with ordinality as c (role, claims, n)
    group by c.role
  ) as callers
  cross join lateral realtime.answers(
    realtime.old_row_question(
      old_visible_to.entity,
      old_visible_to.old_rows,
      coalesce(realtime.select_condition(old_visible_to.entity, callers.role), 'false')
    ),
    callers.role,
    callers.claims
  ) as a
$$;

comment on function realtime.guard_deletes(regclass) is
  'From now on deletes of this table are told only to those who could see the row.';
comment on function realtime.old_visible_to(regclass, jsonb, text[], text[]) is
  'As realtime.visible_to, about the values of rows that are gone: array of {column: text or null}.';

revoke execute on function
  realtime.guard_deletes(regclass),
  realtime.old_visible_to(regclass, jsonb, text[], text[])
  from public;
grant execute on function realtime.old_visible_to(regclass, jsonb, text[], text[])
  to supabase_realtime_admin;
