-- Lists where folders follow folders: one statement jumps from each to the next, by one look into
-- the index (storage reference 7). A statement for each folder cost ten times as much.

-- One level in byte order. `behind` is the last entry of the page before: a key, or a folder with
-- its delimiter. Without a delimiter every key is an entry.
create or replace function storage_compat.list_level(
  bucket text, prefix text, delimiter text, most integer, behind text, is_descending boolean
)
returns table (
  name text, is_folder boolean, id uuid, metadata jsonb, user_metadata jsonb,
  updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz
)
language plpgsql stable set plan_cache_mode = force_generic_plan
as $$
declare
  top constant text := chr(1114111);
  base constant integer := length(prefix);
  place text := coalesce(behind, '');
  batch integer := least(most, 1000);
  found record;
  read_rows integer;
  folder text;
  path_behind text;
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
    path_behind := folder;
    name := null; id := null; metadata := null; user_metadata := null; updated_at := null;
    created_at := null; last_accessed_at := null; is_folder := true;
    for folder in
      with recursive run(path) as (
        select path_behind
        union all
        select left(further.path, base + further.at + length(delimiter) - 1) from run, lateral (
          select o.name as path, strpos(substr(o.name, base + 1), delimiter) as at
          from storage.objects as o
          where not is_descending and o.bucket_id = bucket
            and o.name collate "C" < prefix || top and o.name collate "C" > run.path || top
          order by o.name collate "C" limit 1
        ) as further where further.at > 0
      )
      select path from run where not is_descending limit most
    loop
      name := folder;
      return next;
      most := most - 1;
      place := folder || top;
    end loop;
    if is_descending then
      for folder in
        with recursive run(path) as (
          select path_behind
          union all
          select left(further.path, base + further.at + length(delimiter) - 1) from run, lateral (
            select o.name as path, strpos(substr(o.name, base + 1), delimiter) as at
            from storage.objects as o
            where o.bucket_id = bucket
              and o.name collate "C" >= prefix and o.name collate "C" < run.path
            order by o.name collate "C" desc limit 1
          ) as further where further.at > 0
        )
        select path from run limit most
      loop
        name := folder;
        return next;
        most := most - 1;
        place := folder;
      end loop;
    end if;
    batch := 2;
  end loop;
end
$$;
