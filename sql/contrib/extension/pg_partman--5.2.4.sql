-- pg_partman: declarative partitions by ranges of time or of whole numbers, made ahead, and detached
-- or dropped by their retention. Maintenance runs where it is called, as by a job of pg_cron: there is
-- no background worker. Lists, epochs, templates, subpartitions and moving of rows are not there.

create table @extschema@.part_config (
  parent_table text primary key,
  control text not null,
  time_encoder text,
  time_decoder text,
  partition_interval text not null,
  partition_type text not null default 'range',
  premake int not null default 4 check (premake between 1 and 1000),
  automatic_maintenance text not null default 'on' check (automatic_maintenance in ('on', 'off')),
  template_table text,
  retention text,
  retention_schema text,
  retention_keep_index boolean not null default true,
  retention_keep_table boolean not null default true,
  epoch text not null default 'none' check (epoch = 'none'),
  constraint_cols text[],
  optimize_constraint int not null default 30,
  infinite_time_partitions boolean not null default false,
  datetime_string text,
  jobmon boolean not null default true,
  sub_partition_set_full boolean not null default false,
  undo_in_progress boolean not null default false,
  inherit_privileges boolean default false,
  constraint_valid boolean not null default true,
  ignore_default_data boolean not null default true,
  date_trunc_interval text,
  maintenance_order int,
  retention_keep_publication boolean not null default false,
  maintenance_last_run timestamptz
);
select pg_catalog.pg_extension_config_dump('@extschema@.part_config', '');

create function @extschema@._interval(said text) returns text
language sql immutable strict parallel safe
as $$
  select case said
    when 'yearly' then '1 year' when 'quarterly' then '3 months' when 'monthly' then '1 month'
    when 'weekly' then '1 week' when 'daily' then '1 day' when 'hourly' then '1 hour'
    when 'half-hour' then '30 minutes' when 'quarter-hour' then '15 minutes'
    else said
  end
$$;

-- A table that is partitioned by ranges of one column, and whether these are of time.
create function @extschema@._parent(
  said text, control text, out id regclass, out space text, out name text, out kind text,
  out is_time boolean
)
language plpgsql stable strict
as $$
begin
  id := to_regclass(said);
  if id is null then
    raise 'pg_partman: there is no table %', said using errcode = 'undefined_table';
  end if;
  select n.nspname, c.relname, format_type(a.atttypid, null) into space, name, kind
  from pg_catalog.pg_class as c
  join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
  join pg_catalog.pg_partitioned_table as p
    on p.partrelid = c.oid and p.partstrat = 'r' and p.partnatts = 1
  join pg_catalog.pg_attribute as a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
  where c.oid = id and a.attname = control;
  if name is null then
    raise 'pg_partman: % is not partitioned by ranges of its column %', said, control
      using errcode = 'wrong_object_type';
  end if;
  if kind not in (
    'date', 'timestamp without time zone', 'timestamp with time zone', 'smallint', 'integer',
    'bigint'
  ) then
    raise 'pg_partman: ranges of % are not made here', kind using errcode = 'feature_not_supported';
  end if;
  is_time := kind ~ '^(date|timestamp)';
end
$$;

-- The partitions of a parent, each with the bounds of its range; those of the default are null.
create function @extschema@._parts(parent regclass)
returns table (id regclass, space text, name text, begins text, ends text)
language sql stable strict
as $$
  select c.oid::regclass, n.nspname::text, c.relname::text, bounds[1], bounds[2]
  from pg_catalog.pg_inherits as i
  join pg_catalog.pg_class as c on c.oid = i.inhrelid
  join pg_catalog.pg_namespace as n on n.oid = c.relnamespace
  left join regexp_match(
    pg_catalog.pg_get_expr(c.relpartbound, c.oid),
    '^FOR VALUES FROM \(''?([^'')]*)''?\) TO \(''?([^'')]*)''?\)$'
  ) as bounds on true
  where i.inhparent = parent
$$;

create function @extschema@._unit(span interval) returns text
language sql immutable strict parallel safe
as $$
  select case
    when span >= '1 year' then 'year' when span = '3 months' then 'quarter'
    when span >= '1 month' then 'month' when span = '7 days' then 'week'
    when span >= '1 day' then 'day' when span >= '1 hour' then 'hour'
    when span >= '1 minute' then 'minute' else 'second'
  end
$$;

create function @extschema@._make(config @extschema@.part_config, start text) returns int
language plpgsql
as $$
declare
  parent record := @extschema@._parent(config.parent_table, config.control);
  span text := @extschema@._interval(config.partition_interval);
  place text;
  following text;
  last text;
  suffix text;
  made int := 0;
begin
  if parent.is_time then
    if span::interval <= '0'::interval then
      raise 'pg_partman: an interval must be positive' using errcode = 'invalid_parameter_value';
    end if;
    select max(ends::timestamptz)::text into place from @extschema@._parts(parent.id);
    place := coalesce(place, date_trunc(@extschema@._unit(span::interval), coalesce(
      start::timestamptz, now() - config.premake * span::interval
    ))::text);
    last := (now() + config.premake * span::interval)::text;
  else
    if span::bigint <= 0 then
      raise 'pg_partman: an interval must be positive' using errcode = 'invalid_parameter_value';
    end if;
    select max(ends::bigint)::text into place from @extschema@._parts(parent.id);
    execute format('select coalesce(max(%I), 0)::text from %s', config.control, parent.id)
    into last;
    place := coalesce(place, greatest(
      coalesce(start::bigint, last::bigint - config.premake * span::bigint)
        / span::bigint * span::bigint, 0
    )::text);
    last := (last::bigint + config.premake * span::bigint)::text;
  end if;
  while case when parent.is_time then place::timestamptz <= last::timestamptz
    else place::bigint <= last::bigint end
  loop
    if parent.is_time then
      following := (place::timestamptz + span::interval)::text;
      suffix := to_char(place::timestamptz, case when span::interval >= '1 day' then 'YYYYMMDD'
        else 'YYYYMMDD_HH24MISS' end);
    else
      following := (place::bigint + span::bigint)::text;
      suffix := place;
    end if;
    execute format(
      'create table if not exists %I.%I partition of %s for values from (%L) to (%L)',
      parent.space, left(parent.name, 61 - length(suffix)) || '_p' || suffix, parent.id, place,
      following
    );
    made := made + 1;
    place := following;
  end loop;
  return made;
end
$$;

create function @extschema@._retire(
  config @extschema@.part_config, retention text, keeps boolean, home text
) returns int
language plpgsql
as $$
declare
  parent record := @extschema@._parent(config.parent_table, config.control);
  old record;
  newest bigint;
  retired int := 0;
begin
  if not parent.is_time then
    execute format('select coalesce(max(%I), 0) from %s', config.control, parent.id) into newest;
  end if;
  for old in
    select * from @extschema@._parts(parent.id)
    where ends is not null and case
      when parent.is_time then ends::timestamptz <= now() - retention::interval
      else ends::bigint <= newest - retention::bigint
    end
  loop
    if home is null and not keeps then
      execute format('drop table %s', old.id);
    else
      execute format('alter table %s detach partition %s', parent.id, old.id);
      if home is not null then
        execute format('alter table %s set schema %I', old.id, home);
      end if;
    end if;
    retired := retired + 1;
  end loop;
  return retired;
end
$$;

create function @extschema@.create_parent(
  p_parent_table text, p_control text, p_interval text, p_type text default 'range',
  p_epoch text default 'none', p_premake int default 4, p_start_partition text default null,
  p_default_table boolean default true, p_automatic_maintenance text default 'on',
  p_constraint_cols text[] default null, p_template_table text default null,
  p_jobmon boolean default true, p_date_trunc_interval text default null,
  p_control_not_null boolean default true, p_time_encoder text default null,
  p_time_decoder text default null
) returns boolean
language plpgsql
as $$
declare
  parent record := @extschema@._parent(p_parent_table, p_control);
  config @extschema@.part_config;
begin
  if p_type not in ('range', 'native') or p_epoch <> 'none' or p_time_encoder is not null then
    raise 'pg_partman: partitions by lists, epochs and encoders are not made here'
      using errcode = 'feature_not_supported';
  end if;
  if p_template_table is not null then
    raise notice 'pg_partman: nothing is taken from the template %', p_template_table;
  end if;
  insert into @extschema@.part_config as c (
    parent_table, control, partition_interval, premake, automatic_maintenance, template_table,
    constraint_cols, jobmon, date_trunc_interval
  ) values (
    p_parent_table, p_control, @extschema@._interval(p_interval), p_premake,
    p_automatic_maintenance, p_template_table, p_constraint_cols, p_jobmon, p_date_trunc_interval
  ) returning c.* into config;
  perform @extschema@._make(config, p_start_partition);
  if p_default_table then
    execute format('create table if not exists %I.%I partition of %s default', parent.space,
      left(parent.name, 55) || '_default', parent.id);
  end if;
  return true;
end
$$;

create function @extschema@.run_maintenance(
  p_parent_table text default null, p_analyze boolean default false, p_jobmon boolean default true
) returns void
language plpgsql
as $$
declare
  config @extschema@.part_config;
begin
  for config in
    select * from @extschema@.part_config
    where case when p_parent_table is null then automatic_maintenance = 'on'
      else parent_table = p_parent_table end
    order by maintenance_order nulls last, parent_table
  loop
    perform @extschema@._make(config, null);
    if config.retention is not null then
      perform @extschema@._retire(
        config, config.retention, config.retention_keep_table, config.retention_schema
      );
    end if;
    if p_analyze then
      execute format('analyze %s', to_regclass(config.parent_table));
    end if;
    update @extschema@.part_config set maintenance_last_run = now()
    where parent_table = config.parent_table;
  end loop;
end
$$;

create procedure @extschema@.run_maintenance_proc(
  p_wait int default 0, p_analyze boolean default null, p_jobmon boolean default true
)
language sql
as $$ select @extschema@.run_maintenance(null, coalesce(p_analyze, false)) $$;

create function @extschema@._drop(
  said text, retention text, keeps boolean, home text
) returns int
language plpgsql
as $$
declare
  config @extschema@.part_config;
begin
  select * into strict config from @extschema@.part_config where parent_table = said;
  return @extschema@._retire(
    config, coalesce(retention, config.retention), coalesce(keeps, config.retention_keep_table),
    coalesce(home, config.retention_schema)
  );
end
$$;

create function @extschema@.drop_partition_time(
  p_parent_table text, p_retention interval default null, p_keep_table boolean default null,
  p_keep_index boolean default null, p_retention_schema text default null
) returns int
language sql
as $$
  select @extschema@._drop(p_parent_table, p_retention::text, p_keep_table, p_retention_schema)
$$;

create function @extschema@.drop_partition_id(
  p_parent_table text, p_retention bigint default null, p_keep_table boolean default null,
  p_keep_index boolean default null, p_retention_schema text default null
) returns int
language sql
as $$
  select @extschema@._drop(p_parent_table, p_retention::text, p_keep_table, p_retention_schema)
$$;

create function @extschema@.show_partitions(
  p_parent_table text, p_order text default 'ASC', p_include_default boolean default false
) returns table (partition_schemaname text, partition_tablename text)
language sql stable
as $$
  select space, name
  from @extschema@._parts(to_regclass(p_parent_table))
  where ends is not null or p_include_default
  order by (case when upper(p_order) = 'ASC' then 1 else -1 end)
    * case when ends ~ '^-?\d+$' then ends::numeric
      else extract(epoch from ends::timestamptz) end
$$;

grant all on @extschema@.part_config to postgres, service_role;
