-- The list of version 2, and that of multipart uploads (storage reference 7.2, 11).

create or replace function storage.search_v2(
  prefix text, bucket_name text, limits integer default 100, levels integer default 1,
  start_after text default '', sort_order text default 'asc', sort_column text default 'name',
  sort_column_after text default ''
)
returns table (
  key text, name text, id uuid,
  updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb
)
language plpgsql stable
as $$
declare
  base integer := length(prefix) - position('/' in reverse(prefix)) + 1;
  is_descending boolean := lower(sort_order) = 'desc';
begin
  if position('/' in prefix) = 0 then
    base := 0;
  end if;
  if coalesce(sort_column, 'name') not in ('created_at', 'updated_at') then
    return query
      select substr(s.short, base + 1), s.short, l.id, l.updated_at, l.created_at,
        l.last_accessed_at, l.metadata
      from storage_compat.list_level(
          bucket_name, coalesce(prefix, ''), '/', limits, start_after, is_descending
        ) as l
      cross join lateral (
        select case when l.is_folder then left(l.name, -1) else l.name end
      ) as s (short);
    return;
  end if;
  return query
    with entries as (
      select f.folder, min(o.created_at) as oldest
      from storage.objects as o
      cross join lateral (
        select storage.get_common_prefix(o.name, coalesce(prefix, ''), '/')
      ) as f (folder)
      where o.bucket_id = bucket_name and starts_with(o.name, coalesce(prefix, ''))
        and f.folder is not null
      group by f.folder
    ), level as (
      select e.folder as full_name, left(e.folder, -1) as short, null::uuid as id,
        e.oldest as updated, e.oldest as created, e.oldest as accessed, null::jsonb as metadata,
        e.oldest as sorted
      from entries as e
      union all
      select o.name, o.name, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata,
        case sort_column when 'created_at' then o.created_at else o.updated_at end
      from storage.objects as o
      where o.bucket_id = bucket_name and starts_with(o.name, coalesce(prefix, ''))
        and storage.get_common_prefix(o.name, coalesce(prefix, ''), '/') is null
    )
    select substr(l.short, base + 1), l.short, l.id, l.updated, l.created, l.accessed, l.metadata
    from level as l
    where coalesce(sort_column_after, '') = ''
      or case
        when is_descending
          then (l.sorted, l.full_name collate "C") < (sort_column_after::timestamptz, start_after)
        else (l.sorted, l.full_name collate "C") > (sort_column_after::timestamptz, start_after)
      end
    order by
      case when is_descending then l.sorted end desc,
      case when is_descending then l.full_name end collate "C" desc,
      l.sorted, l.full_name collate "C"
    limit limits;
end
$$;

create or replace function storage.list_multipart_uploads_with_delimiter(
  bucket_id text, prefix_param text, delimiter_param text, max_keys integer default 100,
  next_key_token text default '', next_upload_token text default ''
)
returns table (key text, id text, created_at timestamptz)
language sql stable
as $$
  select distinct on (e.entry collate "C") e.entry, e.id, e.created_at
  from (
    select u.id, u.created_at, coalesce(
      storage.get_common_prefix(u.key, prefix_param, nullif(delimiter_param, '')), u.key
    ) as entry
    from storage.s3_multipart_uploads as u
    where u.bucket_id = $1 and starts_with(u.key, prefix_param)
  ) as e
  where (next_key_token = '' or next_upload_token <> '' or e.entry collate "C" > next_key_token)
    and (next_upload_token = '' or e.id collate "C" > next_upload_token)
  order by e.entry collate "C", e.created_at
  limit max_keys
$$;
