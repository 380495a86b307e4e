-- name: take
-- Entries to be done with in this transaction; another process skips them.
delete from storage_compat.garbage g
using (
  select version from storage_compat.garbage order by since limit $1 for update skip locked
) as chosen
where g.version = chosen.version
returning g.version;

-- name: hold
-- A backup has this lock for itself alone while it copies bytes.
select pg_try_advisory_xact_lock_shared(hashtext('storage_compat.garbage'), 0) as is_free;

-- name: named
-- The versions with this beginning that something names.
select o.version from storage.objects o where starts_with(o.version, $1)
union
select p.version from storage.s3_multipart_uploads_parts p where starts_with(p.version, $1)
union
select t.version from storage_compat.tus_parts t where starts_with(t.version, $1)
union
select g.version from storage_compat.garbage g where starts_with(g.version, $1);

-- name: objects_named
-- Objects whose version begins so.
select id, bucket_id, name, version from storage.objects where starts_with(version, $1);

-- name: some_objects
-- The first objects at hand, oldest pages first: no index is read.
select id, bucket_id, name, version from storage.objects where version is not null limit $1;

-- name: begin_sweep
-- A row where the last sweep of any node began more than $1 ago, or by a clock since set back.
update storage_compat.sweeps set began = now()
where began < now() - $1::interval or began > now() + $1::interval returning began;
