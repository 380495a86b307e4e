-- Buckets, objects and multipart uploads as the original leaves them after 64 migrations; the
-- tables of its cloud features are there and empty (storage reference 12).

do $types$
begin
  create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');
exception
  when duplicate_object then null;
end
$types$;

create table if not exists storage.migrations (
  id integer constraint migrations_pkey primary key,
  name varchar(100) not null constraint migrations_name_key unique,
  hash varchar(40) not null,
  executed_at timestamp default current_timestamp
);

create table if not exists storage.buckets (
  id text not null constraint buckets_pkey primary key,
  name text not null,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  public boolean default false,
  avif_autodetection boolean default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  owner_id text,
  type storage.buckettype not null default 'STANDARD'
);

alter table storage.buckets
  add column if not exists public boolean default false,
  add column if not exists avif_autodetection boolean default false,
  add column if not exists file_size_limit bigint,
  add column if not exists allowed_mime_types text[],
  add column if not exists owner_id text,
  add column if not exists type storage.buckettype not null default 'STANDARD',
  add column if not exists versioning_status text not null default 'DISABLED';

create unique index if not exists bname on storage.buckets (name);

create table if not exists storage.objects (
  id uuid not null default gen_random_uuid() constraint objects_pkey primary key,
  bucket_id text constraint "objects_bucketId_fkey" references storage.buckets,
  name text,
  owner uuid,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  last_accessed_at timestamptz default now(),
  metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  version text,
  owner_id text,
  user_metadata jsonb
);

alter table storage.objects
  add column if not exists version text,
  add column if not exists owner_id text,
  add column if not exists user_metadata jsonb,
  add column if not exists archived_at timestamptz,
  add column if not exists is_delete_marker boolean not null default false,
  add column if not exists is_versioned boolean not null default false;

create unique index if not exists bucketid_objname on storage.objects (bucket_id, name);
create index if not exists name_prefix_search on storage.objects (name text_pattern_ops);
create index if not exists idx_objects_bucket_id_name
  on storage.objects (bucket_id, name collate "C");
create index if not exists idx_objects_bucket_id_name_lower
  on storage.objects (bucket_id, lower(name) collate "C");

comment on column storage.objects.owner is 'Deprecated: owner_id holds every owner, this one UUIDs only';
comment on column storage.buckets.owner is 'Deprecated: owner_id holds every owner, this one UUIDs only';

create table if not exists storage.s3_multipart_uploads (
  id text not null constraint s3_multipart_uploads_pkey primary key,
  in_progress_size bigint not null default 0,
  upload_signature text not null,
  bucket_id text not null
    constraint s3_multipart_uploads_bucket_id_fkey references storage.buckets,
  key text collate "C" not null,
  version text not null,
  owner_id text,
  created_at timestamptz not null default now(),
  user_metadata jsonb,
  metadata jsonb
);

alter table storage.s3_multipart_uploads
  add column if not exists user_metadata jsonb,
  add column if not exists metadata jsonb;

create index if not exists idx_multipart_uploads_list
  on storage.s3_multipart_uploads (bucket_id, key collate "C", created_at);

create table if not exists storage.s3_multipart_uploads_parts (
  id uuid not null default gen_random_uuid()
    constraint s3_multipart_uploads_parts_pkey primary key,
  upload_id text not null
    constraint s3_multipart_uploads_parts_upload_id_fkey
    references storage.s3_multipart_uploads on delete cascade,
  size bigint not null default 0,
  part_number integer not null,
  bucket_id text not null
    constraint s3_multipart_uploads_parts_bucket_id_fkey references storage.buckets,
  key text collate "C" not null,
  etag text not null,
  owner_id text,
  version text not null,
  created_at timestamptz not null default now()
);

create table if not exists storage.buckets_analytics (
  name text not null,
  type storage.buckettype not null default 'ANALYTICS',
  format text not null default 'ICEBERG',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  id uuid not null default gen_random_uuid() constraint buckets_analytics_pkey primary key,
  deleted_at timestamptz
);

create table if not exists storage.buckets_vectors (
  id text not null constraint buckets_vectors_pkey primary key,
  type storage.buckettype not null default 'VECTOR',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table if not exists storage.vector_indexes (
  id text not null default gen_random_uuid() constraint vector_indexes_pkey primary key,
  name text collate "C" not null,
  bucket_id text not null
    constraint vector_indexes_bucket_id_fkey references storage.buckets_vectors,
  data_type text not null,
  dimension integer not null,
  distance_metric text not null,
  metadata_configuration jsonb,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

do $checks$
begin
  alter table storage.buckets
    add constraint buckets_versioning_status_check
      check (versioning_status in ('DISABLED', 'ENABLED', 'SUSPENDED')),
    add constraint buckets_versioning_standard_only_check
      check (type = 'STANDARD' or versioning_status = 'DISABLED'),
    add constraint buckets_versioning_dark_check check (versioning_status = 'DISABLED');
exception
  when duplicate_object then null;
end
$checks$;

create unique index if not exists buckets_analytics_unique_name_idx
  on storage.buckets_analytics (name) where deleted_at is null;
create unique index if not exists vector_indexes_name_bucket_id_idx
  on storage.vector_indexes (name, bucket_id);
