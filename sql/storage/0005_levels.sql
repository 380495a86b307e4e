-- Lists of objects and of the folders that their names make (storage reference 7, 12).
--
-- A folder costs one look into the index however much it holds: the scan jumps behind it. Every
-- function runs as its caller, so that row-level security decides what is listed.

-- One level in byte order. `behind` is the last entry of the page before: a key, or a folder with
-- its delimiter. Without a delimiter every key is an entry.
create or replace function storage_compat.list_level(
  bucket text, prefix text, delimiter text, most integer, behind text, is_descending boolean
)
returns table (
  name text, is_folder boolean, id uuid, metadata jsonb, user_metadata jsonb,
  updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz
)
language plpgsql stable
as $$
declare
  top constant text := chr(1114111);
  place text := coalesce(behind, '');
  batch integer := least(most, 1000);
  found record;
  read_rows integer;
  folder text;
begin
  if place = '' then
    place := case when is_descending then prefix || top || top else '' end;
  elsif not is_descending and delimiter <> '' and right(place, length(delimiter)) = delimiter
    and starts_with(place, prefix) and storage.get_common_prefix(place, prefix, delimiter) = place
  then
    place := place || top;
  end if;
  while most > 0 loop
    read_rows := 0;
    folder := null;
    for found in
      select o.* from storage.objects as o
      where not is_descending and o.bucket_id = bucket
        and o.name collate "C" >= prefix and o.name collate "C" < prefix || top
        and o.name collate "C" > place
      order by o.name collate "C" limit case when is_descending then 0 else batch end
    loop
      exit when is_descending;
      read_rows := read_rows + 1;
      place := found.name;
      if delimiter <> '' then
        folder := storage.get_common_prefix(found.name, prefix, delimiter);
        exit when folder is not null;
      end if;
      name := found.name; is_folder := false; id := found.id; metadata := found.metadata;
      user_metadata := found.user_metadata; updated_at := found.updated_at;
      created_at := found.created_at; last_accessed_at := found.last_accessed_at;
      return next;
      most := most - 1;
      exit when most = 0;
    end loop;
    if is_descending then
      for found in
        select o.* from storage.objects as o
        where o.bucket_id = bucket
          and o.name collate "C" >= prefix and o.name collate "C" < prefix || top
          and o.name collate "C" < place
        order by o.name collate "C" desc limit batch
      loop
        read_rows := read_rows + 1;
        place := found.name;
        if delimiter <> '' then
          folder := storage.get_common_prefix(found.name, prefix, delimiter);
          exit when folder is not null;
        end if;
        name := found.name; is_folder := false; id := found.id; metadata := found.metadata;
        user_metadata := found.user_metadata; updated_at := found.updated_at;
        created_at := found.created_at; last_accessed_at := found.last_accessed_at;
        return next;
        most := most - 1;
        exit when most = 0;
      end loop;
    end if;
    exit when most = 0;
    if folder is null then
      exit when read_rows < batch;
      batch := least(batch * 4, 1000, most);
      continue;
    end if;
    name := folder; is_folder := true; id := null; metadata := null; user_metadata := null;
    updated_at := null; created_at := null; last_accessed_at := null;
    return next;
    most := most - 1;
    place := case when is_descending then folder else folder || top end;
    batch := 2;
  end loop;
end
$$;

create or replace function storage.list_objects_with_delimiter(
  _bucket_id text, prefix_param text, delimiter_param text, max_keys integer default 100,
  start_after text default '', next_token text default '', sort_order text default 'asc'
)
returns table (
  name text, id uuid, metadata jsonb,
  updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz
)
language sql stable
as $$
  select case when l.is_folder then left(l.name, -length(delimiter_param)) else l.name end,
    l.id, l.metadata, l.updated_at, l.created_at, l.last_accessed_at
  from storage_compat.list_level(
    _bucket_id, coalesce(prefix_param, ''), coalesce(delimiter_param, ''), max_keys,
    coalesce(nullif(next_token, ''), start_after, ''), lower(sort_order) = 'desc'
  ) as l
$$;
