-- The list of version 1 by the index that policies let it use (0012); storage reference 7.1. Supersedes
-- storage.search of 0007 and 0011, as 0010 does list_level of 0005. None of them can be merged: an
-- applied file whose text changes is refused. Each direction of an index is a statement of its own.

create or replace function storage.search(
  prefix text, bucketname text, limits integer default 100, levels integer default 1,
  offsets integer default 0, search text default '', sortcolumn text default 'name',
  sortorder text default 'asc'
)
returns table (
  name text, id uuid,
  updated_at timestamptz, created_at timestamptz, last_accessed_at timestamptz, metadata jsonb
)
language plpgsql stable set plan_cache_mode = force_custom_plan
as $$
declare
  top constant text := chr(1114111);
  sought text := lower(coalesce(prefix, '') || coalesce(search, ''));
  is_descending boolean := lower(sortorder) = 'desc';
  column_name text := lower(coalesce(sortcolumn, 'name'));
  is_plain boolean := octet_length(sought) = length(sought);
  low text := case when is_plain then upper(sought) else '' end;
  high text := case when is_plain then sought || top else top end;
  base integer := 0;
  depth integer := 0;
  most integer := least(coalesce(limits, 100), 1500);
  skip integer := coalesce(offsets, 0);
  place text;
  behind text;
  folder text;
  batch integer;
  read_rows integer;
  slash integer;
  found record;
begin
  if position('/' in prefix) > 0 then
    base := length(prefix) - position('/' in reverse(prefix)) + 1;
  end if;
  if position('/' in sought) > 0 then
    depth := length(sought) - position('/' in reverse(sought)) + 1;
  end if;
  if column_name in ('updated_at', 'created_at', 'last_accessed_at') then
    return query
      with level as (
        select substr(o.name, base + 1, depth - base)
            || split_part(substr(o.name, depth + 1), '/', 1) as short,
          position('/' in substr(o.name, depth + 1)) > 0 as is_folder, o.id,
          o.updated_at as updated, o.created_at as created, o.last_accessed_at as accessed,
          o.metadata,
          case column_name when 'updated_at' then o.updated_at
            when 'created_at' then o.created_at else o.last_accessed_at end as sorted
        from storage.objects as o
        where o.bucket_id = bucketname and storage_compat.folded(o.name) collate "C" >= sought
          and storage_compat.folded(o.name) collate "C" < sought || top
      ), folders as (
        select distinct l.short from level as l where l.is_folder
      ), all_of_it as (
        select f.short, true as is_folder, null::uuid as id, null::timestamptz as updated,
          null::timestamptz as created, null::timestamptz as accessed, null::jsonb as metadata,
          null::timestamptz as sorted
        from folders as f
        union all
        select l.short, false, l.id, l.updated, l.created, l.accessed, l.metadata, l.sorted
        from level as l where not l.is_folder
      )
      select a.short, a.id, a.updated, a.created, a.accessed, a.metadata
      from all_of_it as a
      order by a.is_folder desc,
        case when is_descending then a.sorted end desc,
        case when not is_descending then a.sorted end,
        case when is_descending then a.short end collate "C" desc,
        a.short collate "C"
      limit most offset skip;
    return;
  end if;
  place := case when is_descending then sought || top else sought end;
  behind := '';
  batch := greatest(1, least(most + skip, 1500));
  while most > 0 loop
    read_rows := 0; slash := 0;
    for found in
      (
        select o.* from storage.objects as o
        where not is_descending and o.bucket_id = bucketname
          and o.name collate "C" >= low and o.name collate "C" < high
          and storage_compat.folded(o.name) collate "C" >= place
          and storage_compat.folded(o.name) collate "C" < sought || top
          and (storage_compat.folded(o.name) collate "C" > place or o.name collate "C" > behind)
        order by storage_compat.folded(o.name) collate "C", o.name collate "C" limit batch
      ) union all (
        select o.* from storage.objects as o
        where is_descending and o.bucket_id = bucketname
          and o.name collate "C" >= low and o.name collate "C" < high
          and storage_compat.folded(o.name) collate "C" >= sought
          and storage_compat.folded(o.name) collate "C" <= place
          and (storage_compat.folded(o.name) collate "C" < place or o.name collate "C" < behind)
        order by storage_compat.folded(o.name) collate "C" desc, o.name collate "C" desc limit batch
      )
    loop
      read_rows := read_rows + 1;
      slash := position('/' in substr(found.name, depth + 1));
      place := lower(found.name);
      behind := found.name;
      exit when slash > 0;
      if skip > 0 then
        skip := skip - 1;
        continue;
      end if;
      name := substr(found.name, base + 1); id := found.id; updated_at := found.updated_at;
      created_at := found.created_at; last_accessed_at := found.last_accessed_at;
      metadata := found.metadata;
      return next;
      most := most - 1;
      exit when most = 0;
    end loop;
    exit when most = 0;
    if slash = 0 then
      exit when read_rows < batch;
      batch := least(batch * 4, 1500);
      continue;
    end if;
    name := null; id := null; updated_at := null; created_at := null; last_accessed_at := null;
    metadata := null;
    for folder in
      with recursive run(path) as (
        select left(found.name, depth + slash)
        union all
        select left(further.path, depth + further.slash) from run, lateral (
          select o.name as path, strpos(substr(o.name, depth + 1), '/') as slash
          from storage.objects as o
          where not is_descending and o.bucket_id = bucketname
            and o.name collate "C" >= low and o.name collate "C" < high
            and storage_compat.folded(o.name) collate "C" > lower(run.path) || top
            and storage_compat.folded(o.name) collate "C" < sought || top
          order by storage_compat.folded(o.name) collate "C", o.name collate "C" limit 1
        ) as further where further.slash > 0
      )
      select path from run where not is_descending limit most + skip
    loop
      place := lower(folder) || top;
      if skip > 0 then
        skip := skip - 1;
        continue;
      end if;
      name := substr(left(folder, -1), base + 1);
      return next;
      most := most - 1;
    end loop;
    if is_descending then
      for folder in
        with recursive run(path) as (
          select left(found.name, depth + slash)
          union all
          select left(further.path, depth + further.slash) from run, lateral (
            select o.name as path, strpos(substr(o.name, depth + 1), '/') as slash
            from storage.objects as o
            where o.bucket_id = bucketname
              and o.name collate "C" >= low and o.name collate "C" < high
              and storage_compat.folded(o.name) collate "C" >= sought
              and storage_compat.folded(o.name) collate "C" < lower(run.path)
            order by storage_compat.folded(o.name) collate "C" desc, o.name collate "C" desc limit 1
          ) as further where further.slash > 0
        )
        select path from run limit most + skip
      loop
        place := lower(folder);
        if skip > 0 then
          skip := skip - 1;
          continue;
        end if;
        name := substr(left(folder, -1), base + 1);
        return next;
        most := most - 1;
      end loop;
    end if;
    behind := ''; batch := 2;
  end loop;
end
$$;
