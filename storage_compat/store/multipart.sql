-- name: insert
insert into storage.s3_multipart_uploads
  (id, upload_signature, bucket_id, key, version, owner_id, user_metadata, metadata)
values ($1, 'storage_compat', $2, $3, $4, $5, $6, $7);

-- name: find
select * from storage.s3_multipart_uploads where id = $1 and bucket_id = $2 and key = $3;

-- name: lock
select id from storage.s3_multipart_uploads where id = $1 for update;

-- name: put_part
-- A part that comes again replaces the one before, whose bytes are garbage from then on.
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
where upload_id = $1;

-- name: delete
delete from storage.s3_multipart_uploads where id = $1 returning id;
