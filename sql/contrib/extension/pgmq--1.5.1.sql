-- pgmq in SQL: a queue is two tables, one of messages and one of archived ones. Names, arguments and
-- columns as the original's; partitioned queues are plain ones.


create table pgmq.meta (
  queue_name varchar not null,
  is_partitioned boolean not null,
  is_unlogged boolean not null,
  created_at timestamptz not null default now(),
  constraint meta_queue_name_key unique (queue_name)
);
comment on table pgmq.meta is 'The queues.';

create type pgmq.message_record as (
  msg_id bigint, read_ct integer, enqueued_at timestamptz, vt timestamptz, message jsonb,
  headers jsonb
);
create type pgmq.queue_record as (
  queue_name varchar, is_partitioned boolean, is_unlogged boolean, created_at timestamptz
);
create type pgmq.metrics_result as (
  queue_name text, queue_length bigint, newest_msg_age_sec integer, oldest_msg_age_sec integer,
  total_messages bigint, scrape_time timestamptz, queue_visible_length bigint
);

create function pgmq.validate_queue_name(queue_name text) returns void
language plpgsql immutable
as $$
begin
  if length(queue_name) > 47 then
    raise exception 'queue name is too long, maximum length is 47 characters';
  end if;
end
$$;

create function pgmq.format_table_name(queue_name text, prefix text) returns text
language plpgsql immutable
as $$
begin
  if queue_name ~ '[$;''"]|--' then
    raise exception 'queue name contains invalid characters: $, ;, --, or ''';
  end if;
  return lower(prefix || '_' || queue_name);
end
$$;

create function pgmq._create(queue_name text, kind text) returns void
language plpgsql volatile
as $$
declare
  q text := pgmq.format_table_name(queue_name, 'q');
  a text := pgmq.format_table_name(queue_name, 'a');
begin
  perform pgmq.validate_queue_name(queue_name);
  perform pg_advisory_xact_lock(hashtext('pgmq.queue_' || lower(queue_name)));
  execute format(
    'create %s table if not exists pgmq.%I ('
    ' msg_id bigint primary key generated always as identity, read_ct integer default 0 not null,'
    ' enqueued_at timestamptz default now() not null, vt timestamptz not null, message jsonb,'
    ' headers jsonb)', kind, q
  );
  execute format(
    'create table if not exists pgmq.%I ('
    ' msg_id bigint primary key, read_ct integer default 0 not null,'
    ' enqueued_at timestamptz default now() not null,'
    ' archived_at timestamptz default now() not null, vt timestamptz not null, message jsonb,'
    ' headers jsonb)', a
  );
  execute format('create index if not exists %I on pgmq.%I (vt)', q || '_vt_idx', q);
  execute format(
    'create index if not exists %I on pgmq.%I (archived_at)', 'archived_at_idx_' || queue_name, a
  );
  insert into pgmq.meta (queue_name, is_partitioned, is_unlogged)
  values (_create.queue_name, false, kind = 'unlogged')
  on conflict on constraint meta_queue_name_key do nothing;
end
$$;

create function pgmq."create"(queue_name text) returns void
language sql volatile as $$ select pgmq._create(queue_name, '') $$;

create function pgmq.create_non_partitioned(queue_name text) returns void
language sql volatile as $$ select pgmq._create(queue_name, '') $$;

create function pgmq.create_unlogged(queue_name text) returns void
language sql volatile as $$ select pgmq._create(queue_name, 'unlogged') $$;

create function pgmq.create_partitioned(
  queue_name text, partition_interval text default '10000',
  retention_interval text default '100000'
) returns void
language sql volatile as $$ select pgmq._create(queue_name, '') $$;

create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay timestamptz)
returns setof bigint
language plpgsql volatile
as $$
begin
  return query execute format(
    'insert into pgmq.%I (vt, message, headers) values ($2, $1, $3) returning msg_id',
    pgmq.format_table_name(queue_name, 'q')
  ) using msg, delay, headers;
end
$$;

create function pgmq.send(queue_name text, msg jsonb) returns setof bigint
language sql volatile
as $$ select pgmq.send(queue_name, msg, null::jsonb, clock_timestamp()) $$;

create function pgmq.send(queue_name text, msg jsonb, headers jsonb) returns setof bigint
language sql volatile
as $$ select pgmq.send(queue_name, msg, headers, clock_timestamp()) $$;

create function pgmq.send(queue_name text, msg jsonb, delay integer) returns setof bigint
language sql volatile
as $$ select pgmq.send(queue_name, msg, null, clock_timestamp() + make_interval(secs => delay)) $$;

create function pgmq.send(queue_name text, msg jsonb, delay timestamptz) returns setof bigint
language sql volatile
as $$ select pgmq.send(queue_name, msg, null, delay) $$;

create function pgmq.send(queue_name text, msg jsonb, headers jsonb, delay integer)
returns setof bigint
language sql volatile
as $$
  select pgmq.send(queue_name, msg, headers, clock_timestamp() + make_interval(secs => delay))
$$;

create function pgmq.send_batch(
  queue_name text, msgs jsonb[], headers jsonb[], delay timestamptz
) returns setof bigint
language plpgsql volatile
as $$
begin
  if headers is not null and cardinality(headers) <> cardinality(msgs) then
    raise exception 'headers array must be null or have the same length as msgs array';
  end if;
  return query execute format(
    'insert into pgmq.%I (vt, message, headers)'
    ' select $2, m, h from unnest($1, $3) with ordinality as t (m, h, n) order by n'
    ' returning msg_id',
    pgmq.format_table_name(queue_name, 'q')
  ) using msgs, delay, coalesce(headers, array_fill(null::jsonb, array[cardinality(msgs)]));
end
$$;

create function pgmq.send_batch(queue_name text, msgs jsonb[]) returns setof bigint
language sql volatile
as $$ select pgmq.send_batch(queue_name, msgs, null::jsonb[], clock_timestamp()) $$;

create function pgmq.send_batch(queue_name text, msgs jsonb[], headers jsonb[])
returns setof bigint
language sql volatile
as $$ select pgmq.send_batch(queue_name, msgs, headers, clock_timestamp()) $$;

create function pgmq.send_batch(queue_name text, msgs jsonb[], delay integer)
returns setof bigint
language sql volatile
as $$
  select pgmq.send_batch(queue_name, msgs, null, clock_timestamp() + make_interval(secs => delay))
$$;

create function pgmq.send_batch(queue_name text, msgs jsonb[], delay timestamptz)
returns setof bigint
language sql volatile
as $$ select pgmq.send_batch(queue_name, msgs, null, delay) $$;

create function pgmq.read(
  queue_name text, vt integer, qty integer, conditional jsonb default '{}'::jsonb
) returns setof pgmq.message_record
language plpgsql volatile
as $$
begin
  return query execute format(
    'with next as (select msg_id from pgmq.%1$I where vt <= clock_timestamp()'
    ' and ($3 = ''{}'' or message @> $3) order by msg_id limit $1 for update skip locked)'
    ' update pgmq.%1$I m set vt = clock_timestamp() + make_interval(secs => $2),'
    ' read_ct = read_ct + 1 from next where m.msg_id = next.msg_id'
    ' returning m.msg_id, m.read_ct, m.enqueued_at, m.vt, m.message, m.headers',
    pgmq.format_table_name(queue_name, 'q')
  ) using qty, vt, coalesce(conditional, '{}'::jsonb);
end
$$;

create function pgmq.read_with_poll(
  queue_name text, vt integer, qty integer, max_poll_seconds integer default 5,
  poll_interval_ms integer default 100, conditional jsonb default '{}'::jsonb
) returns setof pgmq.message_record
language plpgsql volatile
as $$
declare
  until timestamptz := clock_timestamp() + make_interval(secs => max_poll_seconds);
begin
  loop
    return query select * from pgmq.read(queue_name, vt, qty, conditional);
    exit when found or clock_timestamp() >= until;
    perform pg_sleep(greatest(poll_interval_ms, 1) / 1000.0);
  end loop;
end
$$;

create function pgmq.pop(queue_name text) returns setof pgmq.message_record
language plpgsql volatile
as $$
begin
  return query execute format(
    'delete from pgmq.%1$I where msg_id = (select msg_id from pgmq.%1$I'
    ' where vt <= clock_timestamp() order by msg_id limit 1 for update skip locked)'
    ' returning msg_id, read_ct, enqueued_at, vt, message, headers',
    pgmq.format_table_name(queue_name, 'q')
  );
end
$$;

create function pgmq.archive(queue_name text, msg_ids bigint[]) returns setof bigint
language plpgsql volatile
as $$
begin
  return query execute format(
    'with gone as (delete from pgmq.%I where msg_id = any ($1)'
    ' returning msg_id, vt, read_ct, enqueued_at, message, headers)'
    ' insert into pgmq.%I (msg_id, vt, read_ct, enqueued_at, message, headers)'
    ' select * from gone returning msg_id',
    pgmq.format_table_name(queue_name, 'q'), pgmq.format_table_name(queue_name, 'a')
  ) using msg_ids;
end
$$;

create function pgmq.archive(queue_name text, msg_id bigint) returns boolean
language sql volatile
as $$ select exists (select from pgmq.archive(queue_name, array[msg_id])) $$;

create function pgmq.delete(queue_name text, msg_ids bigint[]) returns setof bigint
language plpgsql volatile
as $$
begin
  return query execute format(
    'delete from pgmq.%I where msg_id = any ($1) returning msg_id',
    pgmq.format_table_name(queue_name, 'q')
  ) using msg_ids;
end
$$;

create function pgmq.delete(queue_name text, msg_id bigint) returns boolean
language sql volatile
as $$ select exists (select from pgmq.delete(queue_name, array[msg_id])) $$;

create function pgmq.set_vt(queue_name text, msg_id bigint, vt integer)
returns setof pgmq.message_record
language plpgsql volatile
as $$
begin
  return query execute format(
    'update pgmq.%I set vt = clock_timestamp() + make_interval(secs => $1) where msg_id = $2'
    ' returning msg_id, read_ct, enqueued_at, vt, message, headers',
    pgmq.format_table_name(queue_name, 'q')
  ) using vt, msg_id;
end
$$;

create function pgmq.purge_queue(queue_name text) returns bigint
language plpgsql volatile
as $$
declare
  removed bigint;
begin
  execute format('delete from pgmq.%I', pgmq.format_table_name(queue_name, 'q'));
  get diagnostics removed = row_count;
  return removed;
end
$$;

create function pgmq.drop_queue(queue_name text) returns boolean
language plpgsql volatile
as $$
begin
  delete from pgmq.meta m where lower(m.queue_name) = lower(drop_queue.queue_name);
  if not found then
    raise notice 'pgmq queue `%` does not exist', queue_name;
    return false;
  end if;
  execute format('drop table if exists pgmq.%I', pgmq.format_table_name(queue_name, 'q'));
  execute format('drop table if exists pgmq.%I', pgmq.format_table_name(queue_name, 'a'));
  return true;
end
$$;

create function pgmq.drop_queue(queue_name text, partitioned boolean) returns boolean
language sql volatile as $$ select pgmq.drop_queue(queue_name) $$;

create function pgmq.detach_archive(queue_name text) returns void
language sql volatile as $$ select $$;

create function pgmq.list_queues() returns setof pgmq.queue_record
language sql stable
as $$ select queue_name, is_partitioned, is_unlogged, created_at from pgmq.meta $$;

create function pgmq.metrics(queue_name text) returns pgmq.metrics_result
language plpgsql stable
as $$
declare
  measured pgmq.metrics_result;
  q text := pgmq.format_table_name(queue_name, 'q');
begin
  execute format(
    'select $1, count(*), extract(epoch from now() - max(enqueued_at))::integer,'
    ' extract(epoch from now() - min(enqueued_at))::integer,'
    ' coalesce((select last_value from pg_sequences where schemaname = ''pgmq'''
    ' and sequencename = %L), 0), now(), count(*) filter (where vt <= now()) from pgmq.%I',
    q || '_msg_id_seq', q
  ) into measured using queue_name;
  return measured;
end
$$;

create function pgmq.metrics_all() returns setof pgmq.metrics_result
language plpgsql stable
as $$
declare
  queue record;
begin
  for queue in select queue_name from pgmq.meta loop
    return next pgmq.metrics(queue.queue_name);
  end loop;
end
$$;

grant usage on schema pgmq to postgres, service_role;
grant create on schema pgmq to postgres;
grant all on pgmq.meta to postgres, service_role;
revoke all on all functions in schema pgmq from public;
grant execute on all functions in schema pgmq to postgres, service_role;

select pg_catalog.pg_extension_config_dump('pgmq.meta', '');
