-- name: find
select b.*, b.type::text as type from storage.buckets b where b.id = $1;

-- name: insert
insert into storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types)
values ($1, $2, $3, $4, $5, $6, $7);

-- name: change
-- Changes only the columns whose flag is set.
update storage.buckets set
  public = case when $2 then $3 else public end,
  file_size_limit = case when $4 then $5 else file_size_limit end,
  allowed_mime_types = case when $6 then $7::text[] else allowed_mime_types end,
  updated_at = now()
where id = $1 returning id;

-- name: delete
delete from storage.buckets where id = $1 returning id;

-- name: has_objects
select exists (select from storage.objects where bucket_id = $1);

-- name: has_uploads
select exists (select from storage.s3_multipart_uploads where bucket_id = $1);

-- name: count_objects
select count(*) from (select from storage.objects where bucket_id = $1 limit $2) as o;

-- name: empty
-- A part of the bucket; their bytes are garbage from then on.
with chosen as (
  select id from storage.objects where bucket_id = $1 and created_at <= $2 limit $3
)
delete from storage.objects o using chosen where o.id = chosen.id;
