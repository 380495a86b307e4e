-- What this service keeps beside the original's tables, in a schema of its own: which stored bytes
-- nobody names any more, and resumable uploads under way.

create table if not exists storage_compat.garbage (
  version text not null constraint garbage_pkey primary key,
  since timestamptz not null default now()
);
comment on table storage_compat.garbage is
  'Stored bytes that no row names since; removed by the service, entry and bytes.';

-- Whoever deletes or overwrites a row, by whatever statement, leaves the old bytes to be removed
-- in the same transaction.
create or replace function storage_compat.record_garbage() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  insert into storage_compat.garbage (version)
  select old.version where old.version is not null
  on conflict do nothing;
  return null;
end
$$;

drop trigger if exists storage_compat_deleted on storage.objects;
create trigger storage_compat_deleted after delete on storage.objects
  for each row execute function storage_compat.record_garbage();
drop trigger if exists storage_compat_overwritten on storage.objects;
create trigger storage_compat_overwritten after update of version on storage.objects
  for each row when (old.version is distinct from new.version)
  execute function storage_compat.record_garbage();
drop trigger if exists storage_compat_deleted on storage.s3_multipart_uploads_parts;
create trigger storage_compat_deleted after delete on storage.s3_multipart_uploads_parts
  for each row execute function storage_compat.record_garbage();

-- A row that names bytes keeps them, also where it was deleted and put back in one transaction.
create or replace function storage_compat.keep_named() returns trigger
language plpgsql volatile security definer
set search_path = ''
as $$
begin
  delete from storage_compat.garbage where version = new.version;
  return null;
end
$$;

drop trigger if exists storage_compat_named on storage.objects;
create trigger storage_compat_named after insert or update of version on storage.objects
  for each row when (new.version is not null)
  execute function storage_compat.keep_named();

create table if not exists storage_compat.tus_uploads (
  version text not null constraint tus_uploads_pkey primary key,
  bucket_id text not null
    constraint tus_uploads_bucket_id_fkey references storage.buckets on delete cascade,
  key text not null,
  length bigint,
  "offset" bigint not null default 0,
  upload_metadata text not null,
  owner_id text,
  is_upsert boolean not null,
  is_complete boolean not null default false,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index if not exists tus_uploads_bucket_id_idx on storage_compat.tus_uploads (bucket_id);
create index if not exists tus_uploads_expires_at_idx on storage_compat.tus_uploads (expires_at);
comment on table storage_compat.tus_uploads is 'Resumable uploads until they expire.';

create table if not exists storage_compat.tus_parts (
  version text not null constraint tus_parts_pkey primary key,
  upload text not null
    constraint tus_parts_upload_fkey references storage_compat.tus_uploads on delete cascade,
  number integer not null,
  size bigint not null,
  etag text not null,
  constraint tus_parts_upload_number_key unique (upload, number)
);
comment on table storage_compat.tus_parts is 'The bytes of a resumable upload, one row a PATCH.';

drop trigger if exists storage_compat_deleted on storage_compat.tus_parts;
create trigger storage_compat_deleted after delete on storage_compat.tus_parts
  for each row execute function storage_compat.record_garbage();
