-- The files of photos: a private bucket, whose files are seen by who sees their row, stored by who
-- announced them, and gone with the last row that names them. No server without a storage service
-- has the schema; there nothing of this is made, and no photo can be announced.

do $storage$
begin
  if to_regclass('storage.objects') is null then
    return;
  end if;
  insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
  values ('recuerdos', 'recuerdos', false, 3145728, array['image/webp', 'image/jpeg'])
  on conflict (id) do update
  set public = false, file_size_limit = excluded.file_size_limit,
    allowed_mime_types = excluded.allowed_mime_types;

  create policy recuerdos_leer on storage.objects
    for select to authenticated
    using (
      bucket_id = 'recuerdos' and exists (
        select from public.recuerdos r where r.ruta = objects.name
        union all
        select from public.recuerdos r where r.miniatura = objects.name
      )
    );
  -- Once, under the name that was given, while it is on its way. Nothing lets anybody change a file.
  create policy recuerdos_subir on storage.objects
    for insert to authenticated
    with check (
      bucket_id = 'recuerdos' and exists (
        select from public.recuerdos r
        where objects.name in (r.ruta, r.miniatura) and r.autor_id = (select auth.uid())
          and r.pareja_id = (select planes.mi_pareja()) and r.subido_en is null
      )
    );
end
$storage$;

-- Deletes files of the bucket by name; the storage service removes the bytes of rows that are gone.
create function planes.quitar_ficheros(nombres text[])
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  antes constant text := coalesce(current_setting('storage.allow_delete_query', true), 'false');
begin
  if to_regclass('storage.objects') is null then
    return;
  end if;
  perform set_config('storage.allow_delete_query', 'true', true);
  delete from storage.objects o where o.bucket_id = 'recuerdos' and o.name = any (nombres);
  perform set_config('storage.allow_delete_query', antes, true);
end
$$;

-- The bytes of both files of a photo; null where one is not there.
create function planes.bytes_subidos(nombres text[])
returns bigint
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  return (
    select case when count(*) = 2 then sum((o.metadata ->> 'size')::bigint) end
    from storage.objects o where o.bucket_id = 'recuerdos' and o.name = any (nombres)
  );
end
$$;

-- A photo that goes with its plan waits in the trash like it; one that no row names any more has no files.
create function planes.soltar_recuerdo()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if old.subido_en is not null
    and exists (select from planes.papelera p where p.actividad_id = old.actividad_id)
    and exists (select from auth.users u where u.id = old.autor_id)
  then
    insert into planes.recuerdos_borrados
      (id, actividad_id, pareja_id, autor_id, bytes, fila, con_plan)
    values (
      old.id, old.actividad_id, old.pareja_id, old.autor_id, old.bytes, to_jsonb(old), true
    )
    on conflict on constraint recuerdos_borrados_pkey do nothing;
  elsif not exists (select from planes.recuerdos_borrados b where b.id = old.id) then
    perform planes.quitar_ficheros(array[old.ruta, old.miniatura]);
  end if;
  return null;
end
$$;

create trigger recuerdos_soltar after delete on public.recuerdos
  for each row execute function planes.soltar_recuerdo();

create function planes.soltar_borrado()
returns trigger
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  if not exists (select from public.recuerdos r where r.id = old.id) then
    perform planes.quitar_ficheros(array[old.fila ->> 'ruta', old.fila ->> 'miniatura']);
  end if;
  return null;
end
$$;

create trigger recuerdos_borrados_soltar after delete on planes.recuerdos_borrados
  for each row execute function planes.soltar_borrado();

revoke execute on function
  planes.quitar_ficheros(text[]), planes.bytes_subidos(text[]), planes.soltar_recuerdo(),
  planes.soltar_borrado()
  from public;
