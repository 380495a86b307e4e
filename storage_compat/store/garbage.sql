-- name: take
-- Locks entries to process in this transaction; other processes skip them.
delete from storage_compat.garbage g
using (
  select version from storage_compat.garbage order by since limit $1 for update skip locked
) as chosen
where g.version = chosen.version
returning g.version;

-- name: hold
-- Shared lock of a transaction; a backup holds it exclusively while it copies bytes.
select pg_try_advisory_xact_lock_shared(hashtext('storage_compat.garbage'), 0) as is_free;

-- name: named
-- The versions with this prefix that some row refers to.
select o.version from storage.objects o where starts_with(o.version, $1)
union
select p.version from storage.s3_multipart_uploads_parts p where starts_with(p.version, $1)
union
select t.version from storage_compat.tus_parts t where starts_with(t.version, $1)
union
select g.version from storage_compat.garbage g where starts_with(g.version, $1);

-- name: objects_named
-- Objects whose version has this prefix.
select id, bucket_id, name, version from storage.objects where starts_with(version, $1);

-- name: some_objects
-- Any objects, in the table's physical order: no index is read.
select id, bucket_id, name, version from storage.objects where version is not null limit $1;

-- name: begin_sweep
-- Returns a row unless a node began a sweep within $1 of now; a later start means a clock was set back.
update storage_compat.sweeps set began = now()
where began < now() - $1::interval or began > now() + $1::interval returning began;
