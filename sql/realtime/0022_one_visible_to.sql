-- One function tells who may see which rows, present or deleted, by a statement that the session keeps or
-- by one of the call's own.

-- What one caller sees, each row in its own subtransaction: one whose policy raises is not seen.
-- Leaves role and claims as it set them; its caller puts them back.
create or replace function realtime.visible_one_by_one(
  entity regclass, rows jsonb, role text, claims text, are_deleted boolean
)
returns table (seen integer[], errors text[])
language plpgsql
volatile
as $$
declare
  queries constant text[] := array(
    select realtime.visibility_query(
      entity, jsonb_build_array(r.value), visible_one_by_one.role, are_deleted
    )
    from jsonb_array_elements(rows) with ordinality as r (value, n)
    order by r.n
  );
  answer integer[];
begin
  seen := '{}';
  errors := '{}';
  for n in 1 .. cardinality(queries) loop
    begin
      perform set_config('role', visible_one_by_one.role, true);
      perform set_config('request.jwt.claims', coalesce(visible_one_by_one.claims, ''), true);
      execute queries[n] into answer;
      if answer <> '{}' then
        seen := seen || n;
      end if;
      errors := errors || null::text;
    exception
      when others then
        errors := errors || sqlerrm;
    end;
  end loop;
  return next;
end
$$;

-- With hundreds of callers their number is what costs: they share a subtransaction until one of them
-- raises, settings are put by assignments, which need no query, and neighbours who see the same are one
-- result. A statement that was kept, and fails, may be older than the table: what is left is then done by
-- a statement of the call's own. Only where that fails too are the caller's rows looked at one by one.
create or replace function realtime.visible_to(
  entity regclass,
  rows jsonb,
  role text,
  claims text[],
  are_deleted boolean default false,
  kept text default null,
  subjects text[] default null
)
returns table (first integer, last integer, seen integer[], errors text[])
language plpgsql
volatile
as $$
declare
  own_role constant text := current_setting('role');
  own_claims constant text := coalesce(current_setting('request.jwt.claims', true), '');
  own_subject constant text := coalesce(current_setting('request.jwt.claim.sub', true), '');
  texts constant text[] := visible_to.claims;
  callers constant integer := cardinality(texts);
  is_kept boolean := kept is not null;
  statement text := coalesce(quote_ident(kept), 'realtime_visible_to');
  execution text := 'execute ' || statement;
  query text;  -- what is still to be prepared
  was_missing boolean := false;
  n integer := 1;
  answer integer[];
  put text;
begin
  if not is_kept then
    query := realtime.visibility_query(entity, rows, visible_to.role, are_deleted);
  end if;
  first := 1;
  while n <= callers loop
    begin
      put := set_config('role', visible_to.role, true);
      put := set_config('realtime.key', rows ->> 0, true);
      if query is not null then
        execute format('prepare %s as %s', statement, query);
        query := null;
      end if;
      while n <= callers loop
        put := set_config('request.jwt.claims', coalesce(texts[n], ''), true);
        if subjects is not null then
          put := set_config('request.jwt.claim.sub', coalesce(subjects[n], ''), true);
        end if;
        execute execution into answer;
        if n > first and answer <> seen then
          last := n - 1;
          return next;
          first := n;
        end if;
        seen := answer;
        n := n + 1;
      end loop;
    exception
      when others then
        put := set_config('role', own_role, true);
        if query is not null and sqlstate = '42P05' then  -- left over by a call that was cancelled
          execute 'deallocate ' || statement;
        elsif is_kept and not was_missing and sqlstate = '26000' then
          was_missing := true;
          query := realtime.kept_query(entity);
        elsif is_kept then
          is_kept := false;
          statement := 'realtime_visible_to';
          execution := 'execute ' || statement;
          query := realtime.visibility_query(entity, rows, visible_to.role, are_deleted);
        else
          if n > first then
            last := n - 1;
            return next;
          end if;
          select a.seen, a.errors into seen, errors
          from realtime.visible_one_by_one(
            entity, rows, visible_to.role, texts[n], are_deleted
          ) as a;
          first := n;
          last := n;
          return next;
          errors := null;
          n := n + 1;
          first := n;
        end if;
    end;
  end loop;
  if n > first then
    last := n - 1;
    return next;
  end if;
  put := set_config('role', own_role, true);
  put := set_config('request.jwt.claims', own_claims, true);
  if subjects is not null then
    put := set_config('request.jwt.claim.sub', own_subject, true);
  end if;
  if not is_kept and query is null then
    execute 'deallocate ' || statement;
  end if;
end
$$;

comment on function realtime.visible_to(regclass, jsonb, text, text[], boolean, text, text[]) is
  'Which rows callers of a role may see, by their claims: present rows by their keys (array of {column: '
  'text}), or deleted rows by their values (array of {column: text or null}). Callers first to last see '
  'those of these numbers; errors is null, or what policies raised for each row. For one present row, kept '
  'names a prepared statement that stays in the session. subjects has each caller''s value of '
  'request.jwt.claim.sub, and is null where that is not set.';
revoke execute on function
  realtime.visible_one_by_one(regclass, jsonb, text, text, boolean),
  realtime.visible_to(regclass, jsonb, text, text[], boolean, text, text[])
  from public;
grant execute on function
  realtime.visible_one_by_one(regclass, jsonb, text, text, boolean),
  realtime.visible_to(regclass, jsonb, text, text[], boolean, text, text[])
  to supabase_realtime_admin;

do $owner$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres') then
    grant execute on function
      realtime.visible_one_by_one(regclass, jsonb, text, text, boolean),
      realtime.visible_to(regclass, jsonb, text, text[], boolean, text, text[])
      to postgres;
  end if;
end
$owner$;
