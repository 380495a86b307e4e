-- Comparing a column's value with a filter's, by the rules of the column's own type. A null operand
-- makes every operator null but `is` and `isdistinct`, negated or not: such a row passes no filter.

create or replace function realtime.to_regrole(role_name text)
returns regrole
language sql
immutable
as $$ select role_name::regrole $$;

create or replace function realtime.cast(val text, type_ regtype)
returns jsonb
language plpgsql
immutable
as $$
declare
  result jsonb;
begin
  if type_ = 'bytea'::regtype then
    return to_jsonb(val);
  end if;
  execute format('select to_jsonb(%L::%s)', val, type_) into result;
  return result;
end
$$;

create or replace function realtime.check_equality_op(
  op realtime.equality_op, type_ regtype, val_1 text, val_2 text, negate boolean
)
returns boolean
language plpgsql
stable
as $$
declare
  condition text := case op
    when 'eq' then '%1$L::%2$s = %3$L::%2$s'
    when 'neq' then '%1$L::%2$s <> %3$L::%2$s'
    when 'lt' then '%1$L::%2$s < %3$L::%2$s'
    when 'lte' then '%1$L::%2$s <= %3$L::%2$s'
    when 'gt' then '%1$L::%2$s > %3$L::%2$s'
    when 'gte' then '%1$L::%2$s >= %3$L::%2$s'
    when 'in' then '%1$L::%2$s = any (%3$L::%2$s[])'
    when 'like' then '%1$L::%2$s like %3$L::%2$s'
    when 'ilike' then '%1$L::%2$s ilike %3$L::%2$s'
    when 'match' then '%1$L::%2$s ~ %3$L::%2$s'
    when 'imatch' then '%1$L::%2$s ~* %3$L::%2$s'
    when 'isdistinct' then '%1$L::%2$s is distinct from %3$L::%2$s'
    when 'is' then '%1$L::%2$s is %4$s'
  end;
  result boolean;
begin
  if op = 'is' and val_2 not in ('null', 'true', 'false', 'unknown') then
    raise exception 'invalid value for is filter: must be null, true, false, or unknown';
  end if;
  execute format(
    'select ' || condition, val_1, type_, val_2, case when op = 'is' then val_2 end
  ) into result;
  return result <> coalesce(negate, false);
end
$$;

create or replace function realtime.check_equality_op(
  op realtime.equality_op, type_ regtype, val_1 text, val_2 text
)
returns boolean
language sql
stable
as $$ select realtime.check_equality_op(op, type_, val_1, val_2, false) $$;

-- True where every filter holds; a filter on a column that the row does not carry holds for none.
create or replace function realtime.is_visible_through_filters(
  columns realtime.wal_column[], filters realtime.user_defined_filter[]
)
returns boolean
language sql
stable
as $$
  select coalesce(bool_and(coalesce(
    c.name is not null and realtime.check_equality_op(
      f.op, coalesce(c.type_oid::regtype, c.type_name::regtype), c.value #>> '{}', f.value, f.negate
    ),
    false
  )), true)
  from unnest(filters) as f
  left join unnest(columns) as c on c.name = f.column_name
$$;

alter function realtime.to_regrole(text) owner to supabase_realtime_admin;
alter function realtime.cast(text, regtype) owner to supabase_realtime_admin;
alter function realtime.check_equality_op(realtime.equality_op, regtype, text, text)
  owner to supabase_realtime_admin;
alter function realtime.check_equality_op(realtime.equality_op, regtype, text, text, boolean)
  owner to supabase_realtime_admin;
alter function
  realtime.is_visible_through_filters(realtime.wal_column[], realtime.user_defined_filter[])
  owner to supabase_realtime_admin;
