-- name: insert
insert into storage.s3_multipart_uploads
  (id, upload_signature, bucket_id, key, version, owner_id, user_metadata, metadata)
values ($1, 'storage_compat', $2, $3, $4, $5, $6, $7);

-- name: find
select * from storage.s3_multipart_uploads where id = $1 and bucket_id = $2 and key = $3;

-- name: lock
select id from storage.s3_multipart_uploads where id = $1 for update;

-- name: put_part
-- A part uploaded again replaces the earlier one, whose bytes become garbage.
with gone as (
  delete from storage.s3_multipart_uploads_parts where upload_id = $1 and part_number = $2
)
insert into storage.s3_multipart_uploads_parts
  (upload_id, part_number, bucket_id, key, etag, owner_id, version, size)
values ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: parts
select part_number, etag, version, size, created_at from storage.s3_multipart_uploads_parts
where upload_id = $1 and part_number > $2 order by part_number limit $3;

-- name: size
select coalesce(sum(size), 0)::bigint as size from storage.s3_multipart_uploads_parts
where upload_id = $1 and part_number <> $2;

-- name: delete
delete from storage.s3_multipart_uploads where id = $1 returning id;

-- name: pending
-- Ordered by key and id, after a position; keys that share a prefix up to the delimiter are one entry without id.
with found as (
  select u.id, u.created_at, u.key,
    storage.get_common_prefix(u.key, $2, nullif($3, '')) as folder
  from storage.s3_multipart_uploads as u
  where u.bucket_id = $1 and starts_with(u.key, $2) and u.key collate "C" >= $4
)
select distinct coalesce(folder, key) collate "C" as entry,
  case when folder is null then id end collate "C" as id,
  case when folder is null then created_at end as created_at
from found
where $4 = '' or coalesce(folder, key) collate "C" > $4
  or (folder is null and key = $4 and $5 <> '' and id collate "C" > $5)
order by entry, id limit $6;
