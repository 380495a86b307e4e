-- The tables of the original's catalogue of Iceberg, a feature of its cloud: empty, so that its next
-- migrations find them (storage reference 12).

create table if not exists storage.iceberg_namespaces (
  id uuid not null default gen_random_uuid() constraint iceberg_namespaces_pkey primary key,
  bucket_name text not null,
  name text collate "C" not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  metadata jsonb not null default '{}',
  catalog_id uuid not null constraint iceberg_namespaces_catalog_id_fkey
    references storage.buckets_analytics on delete cascade
);

create table if not exists storage.iceberg_tables (
  id uuid not null default gen_random_uuid() constraint iceberg_tables_pkey primary key,
  namespace_id uuid not null constraint iceberg_tables_namespace_id_fkey
    references storage.iceberg_namespaces on delete cascade,
  bucket_name text not null,
  name text collate "C" not null,
  location text not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  remote_table_id text,
  shard_key text,
  shard_id text,
  catalog_id uuid not null constraint iceberg_tables_catalog_id_fkey
    references storage.buckets_analytics on delete cascade
);

create unique index if not exists idx_iceberg_namespaces_bucket_id
  on storage.iceberg_namespaces (catalog_id, name);
create unique index if not exists idx_iceberg_tables_namespace_id
  on storage.iceberg_tables (catalog_id, namespace_id, name);
create unique index if not exists idx_iceberg_tables_location on storage.iceberg_tables (location);

do $owned$
declare
  name text;
begin
  foreach name in array array['iceberg_namespaces', 'iceberg_tables'] loop
    execute format('alter table storage.%I owner to supabase_storage_admin', name);
    execute format('alter table storage.%I enable row level security', name);
    execute format('grant all on storage.%I to service_role', name);
    execute format('grant select on storage.%I to anon, authenticated', name);
  end loop;
end
$owned$;
