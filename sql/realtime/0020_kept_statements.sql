-- The question about one key, the most frequent, by a prepared statement that the session keeps: nothing
-- is parsed or planned again for the next change of the table.

-- The query about the key in the setting realtime.key, for a statement that is kept. A plan compares
-- many rows with the key, and reads it once. Types are without their modifiers, which would cut it.
create or replace function realtime.kept_query(entity regclass)
returns text
language sql
stable
as $$
  select format(
    $q$select case when exists (select from %s as sought where %s) then '{1}'::integer[] else '{}' end$q$,
    entity,
    coalesce(
      string_agg(
        format(
          $c$sought.%I = (select (current_setting('realtime.key')::jsonb ->> %L)::%s)$c$,
          a.attname, a.attname, format_type(a.atttypid, -1)
        ),
        ' and '
      ),
      'false'
    )
  )
  from pg_catalog.pg_index i
  join pg_catalog.pg_attribute a
    on a.attrelid = i.indrelid and a.attnum = any ((i.indkey::smallint[])[0:i.indnkeyatts - 1])
  where i.indrelid = entity and i.indisprimary
$$;

-- The answers about one key, as `sightings` gives them, by the prepared statement of the name `kept`. It
-- stays in the session: the next question about this table to callers of this role needs no parsing and
-- no plan. Whatever cannot be answered so, because a policy raises, `sightings` answers.
create or replace function realtime.kept_sightings(
  entity regclass, keys jsonb, role text, claims text[], kept text
)
returns table (first integer, last integer, seen integer[], errors text[])
language plpgsql
volatile
as $$
declare
  own_role constant text := current_setting('role');
  own_claims constant text := coalesce(current_setting('request.jwt.claims', true), '');
  texts constant text[] := kept_sightings.claims;
  execution constant text := 'execute ' || quote_ident(kept);
  is_missing boolean := false;
  n integer := 1;
  answer integer[];
  put text;
begin
  first := 1;
  loop
    begin
      put := set_config('role', kept_sightings.role, true);
      put := set_config('realtime.key', keys ->> 0, true);
      if is_missing then
        execute format('prepare %I as %s', kept, realtime.kept_query(entity));
      end if;
      while n <= cardinality(texts) loop
        put := set_config('request.jwt.claims', coalesce(texts[n], ''), true);
        execute execution into answer;
        if n > first and answer <> seen then
          last := n - 1;
          return next;
          first := n;
        end if;
        seen := answer;
        n := n + 1;
      end loop;
      exit;
    exception
      when invalid_sql_statement_name then
        exit when is_missing;
        is_missing := true;
      when others then
        exit;
    end;
  end loop;
  if n > first then
    last := n - 1;
    return next;
  end if;
  put := set_config('role', own_role, true);
  put := set_config('request.jwt.claims', own_claims, true);
  if n <= cardinality(texts) then
    return query
      select n - 1 + s.first, n - 1 + s.last, s.seen, s.errors
      from realtime.sightings(
        realtime.key_question(entity, keys), kept_sightings.role, texts[n:]
      ) as s;
  end if;
end
$$;

comment on function realtime.kept_sightings(regclass, jsonb, text, text[], text) is
  'As realtime.visible_to, about one key, by a prepared statement of this name that the session keeps.';

revoke execute on function realtime.kept_sightings(regclass, jsonb, text, text[], text) from public;
grant execute on function realtime.kept_sightings(regclass, jsonb, text, text[], text)
  to supabase_realtime_admin;

do $owner$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres') then
    grant execute on function
      realtime.kept_query(regclass),
      realtime.kept_sightings(regclass, jsonb, text, text[], text)
      to postgres;
  end if;
end
$owner$;
