-- timescaledb for projects that make hypertables: they stay plain tables with an index on their
-- time. Nothing is divided into chunks, compressed or removed, and there are no continuous
-- aggregates: policies are taken and do nothing.

create function @extschema@.create_hypertable(
  relation regclass,
  time_column_name name,
  partitioning_column name default null,
  number_partitions integer default null,
  chunk_time_interval anyelement default null::interval,
  create_default_indexes boolean default true,
  if_not_exists boolean default false,
  migrate_data boolean default false
) returns table (hypertable_id integer, schema_name name, table_name name, created boolean)
language plpgsql volatile set search_path = pg_catalog as $$
declare
  place record;
begin
  select n.nspname, c.relname into strict place
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = relation;
  if create_default_indexes then
    execute format(
      'create index if not exists %I on %I.%I (%I desc)',
      left(format('%s_%s_idx', place.relname, time_column_name), 63),
      place.nspname, place.relname, time_column_name
    );
  end if;
  return query select 1, place.nspname, place.relname, true;
end
$$;

-- A bucket of months begins with a month of UTC, another with the Monday of 2000-01-03.
create function @extschema@.time_bucket(width interval, moment timestamptz) returns timestamptz
language plpgsql immutable parallel safe strict set search_path = pg_catalog as $$
declare
  months int := extract(year from width) * 12 + extract(month from width);
  utc timestamp := moment at time zone 'UTC';
  first int := extract(year from utc) * 12 + extract(month from utc) - 1;
begin
  if months = 0 then
    return date_bin(width, moment, timestamptz '2000-01-03 00:00:00+00');
  end if;
  first := first - first % months;
  return make_timestamptz(first / 12, first % 12 + 1, 1, 0, 0, 0, 'UTC');
end
$$;

create function @extschema@.time_bucket(width interval, moment timestamp) returns timestamp
language sql immutable parallel safe strict as $$
select @extschema@.time_bucket(width, moment at time zone 'UTC') at time zone 'UTC'
$$;

create function @extschema@.time_bucket(width interval, moment date) returns date
language sql immutable parallel safe strict as $$
select @extschema@.time_bucket(width, moment::timestamp)::date
$$;

create function @extschema@.time_bucket(width bigint, number bigint) returns bigint
language sql immutable parallel safe strict as $$
select floor(number::numeric / width)::bigint * width
$$;

create function @extschema@.add_retention_policy(
  relation regclass, drop_after interval, if_not_exists boolean default false
) returns integer language sql immutable as 'select 1';

create function @extschema@.remove_retention_policy(
  relation regclass, if_exists boolean default false
) returns void language sql immutable as '';

create function @extschema@.add_compression_policy(
  hypertable regclass, compress_after interval, if_not_exists boolean default false
) returns integer language sql immutable as 'select 1';

create function @extschema@.set_chunk_time_interval(
  hypertable regclass, chunk_time_interval interval
) returns void language sql immutable as '';
