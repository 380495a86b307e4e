-- One row per entry of a client's postgres_changes, written by the service. The trigger is what
-- refuses a bad filter or column at subscribing time, with the original's sentences.

create table if not exists realtime.subscription (
  id bigint generated always as identity,
  subscription_id uuid not null,
  entity regclass not null,
  filters realtime.user_defined_filter[] not null default '{}',
  claims jsonb not null,
  claims_role regrole not null generated always as (realtime.to_regrole(claims ->> 'role')) stored,
  created_at timestamp without time zone not null default timezone('utc', now()),
  action_filter text default '*',
  selected_columns text[],
  constraint pk_subscription primary key (id),
  constraint subscription_action_filter_check
    check (action_filter in ('*', 'INSERT', 'UPDATE', 'DELETE'))
);

create index if not exists ix_realtime_subscription_entity on realtime.subscription (entity);
create unique index if not exists
  subscription_subscription_id_entity_filters_action_filter_selec
  on realtime.subscription
  (subscription_id, entity, filters, action_filter, coalesce(selected_columns, '{}'));

comment on table realtime.subscription is 'What connected clients asked to hear of.';

-- Raises unless the filter fits a column that the role of the claims may read.
create or replace function realtime.check_filter(
  entity regclass, readable text[], filter realtime.user_defined_filter
)
returns void
language plpgsql
stable
as $$
declare
  col_type regtype;
begin
  if filter.column_name is null or filter.column_name <> all (readable) then
    raise exception 'invalid column for filter %', filter.column_name;
  end if;
  select atttypid::regtype into col_type
  from pg_catalog.pg_attribute
  where attrelid = entity and attname = filter.column_name and not attisdropped;

  case
    when filter.op = 'in' then
      if jsonb_array_length(
        realtime.cast(filter.value, format('%s[]', col_type)::regtype)
      ) > 100 then
        raise exception 'too many values for `in` filter. Maximum 100';
      end if;
    when filter.op = 'is' then
      if filter.value not in ('null', 'true', 'false', 'unknown') then
        raise exception 'invalid value for is filter: must be null, true, false, or unknown';
      elsif filter.value <> 'null' and col_type <> 'boolean'::regtype then
        raise exception 'is % filter requires a boolean column, got %', filter.value, col_type;
      end if;
    when filter.op in ('like', 'ilike', 'match', 'imatch') then
      if not exists (
        select
        from pg_catalog.pg_operator o
        where o.oprleft = col_type and o.oprresult = 'boolean'::regtype
          and o.oprname = case filter.op
            when 'match' then '~' when 'imatch' then '~*' else '~~'
          end
          and (filter.op in ('like', 'ilike') or o.oprright = col_type)
      ) then
        raise exception 'operator % requires a text-compatible column type, got %',
          filter.op, col_type;
      end if;
      if filter.op in ('match', 'imatch') then
        begin
          perform '' ~ filter.value;
        exception when others then
          raise exception 'invalid regular expression for % filter: %', filter.op, sqlerrm;
        end;
      end if;
    else
      perform realtime.cast(filter.value, col_type);
  end case;
end
$$;

create or replace function realtime.subscription_check_filters()
returns trigger
language plpgsql
volatile
as $$
declare
  readable text[] := coalesce((
    select array_agg(a.attname::text order by a.attnum)
    from pg_catalog.pg_attribute a
    where a.attrelid = new.entity and a.attnum > 0 and not a.attisdropped
      and pg_catalog.has_column_privilege(new.claims ->> 'role', a.attrelid, a.attnum, 'select')
  ), '{}');
  wanted text;
begin
  perform realtime.check_filter(new.entity, readable, f) from unnest(new.filters) as f;
  foreach wanted in array coalesce(new.selected_columns, '{}') loop
    if wanted <> all (readable) then
      raise exception 'invalid column for select %', wanted;
    end if;
  end loop;
  -- One order, so that the unique index knows two spellings of the same entry as one.
  new.filters := coalesce((
    select array_agg(f order by f.column_name, f.op, f.value, f.negate)
    from unnest(new.filters) as f
  ), '{}');
  new.selected_columns := (
    select array_agg(c order by c) from unnest(new.selected_columns) as c
  );
  return new;
end
$$;

create or replace trigger tr_check_filters
  before insert or update on realtime.subscription
  for each row execute function realtime.subscription_check_filters();

alter table realtime.subscription owner to supabase_realtime_admin;
alter function realtime.check_filter(regclass, text[], realtime.user_defined_filter)
  owner to supabase_realtime_admin;
alter function realtime.subscription_check_filters() owner to supabase_realtime_admin;
grant select on realtime.subscription to anon, authenticated, service_role;
