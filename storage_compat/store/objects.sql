-- name: find
select * from storage.objects where bucket_id = $1 and name = $2;

-- name: find_with_bucket
-- A bucket and the object in it in one query; the object's columns are null where there is none.
select b.id as bucket, b.public as is_public, o.*
from storage.buckets b left join storage.objects o on o.bucket_id = b.id and o.name = $2
where b.id = $1;

-- name: find_many
select * from storage.objects where bucket_id = $1 and name = any($2::text[]);

-- name: insert
insert into storage.objects (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
values ($1, $2, $3, $4, $5, $6, $7);

-- name: insert_row
insert into storage.objects (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
values ($1, $2, $3, $4, $5, $6, $7) returning *;

-- name: upsert
insert into storage.objects (bucket_id, name, owner, owner_id, version, metadata, user_metadata)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict (bucket_id, name) do update set
  owner = coalesce(excluded.owner, objects.owner),
  owner_id = coalesce(excluded.owner_id, objects.owner_id), version = excluded.version,
  metadata = excluded.metadata, user_metadata = excluded.user_metadata
returning *;

-- name: move
update storage.objects
set bucket_id = $3, name = $4, owner = coalesce($5, owner), owner_id = coalesce($6, owner_id)
where bucket_id = $1 and name = $2 returning *;

-- name: delete
delete from storage.objects where bucket_id = $1 and name = any($2::text[]) returning *;
