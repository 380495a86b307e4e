-- name: insert
insert into storage_compat.tus_uploads
  (version, bucket_id, key, length, upload_metadata, owner_id, is_upsert, expires_at)
values ($1, $2, $3, $4, $5, $6, $7, $8) returning *;

-- name: find
select * from storage_compat.tus_uploads where version = $1;

-- name: advance
-- Only one writer continues from an offset: a second one finds the offset changed.
with moved as (
  update storage_compat.tus_uploads set "offset" = "offset" + $5, length = coalesce(length, $7)
  where version = $1 and "offset" = $2 and not is_complete returning *
), counted as (
  select count(*)::integer as parts from storage_compat.tus_parts where upload = $1
), added as (
  insert into storage_compat.tus_parts (version, upload, number, size, etag)
  select $3, $1, c.parts, $5, $6 from moved, counted c where $5 > 0 and c.parts < $4
)
select m.*, c.parts from moved m, counted c;

-- name: parts
select version, size, etag from storage_compat.tus_parts where upload = $1 order by number;

-- name: complete
update storage_compat.tus_uploads set is_complete = true
where version = $1 and not is_complete returning version;

-- name: drop_parts
delete from storage_compat.tus_parts where upload = $1;

-- name: delete
delete from storage_compat.tus_uploads where version = $1 and not is_complete returning version;

-- name: delete_expired
delete from storage_compat.tus_uploads where expires_at < $1;
