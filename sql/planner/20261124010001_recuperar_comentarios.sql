-- A comment that its author has deleted may be taken back by them for an hour.

create table planes.comentarios_borrados (
  id uuid not null,
  actividad_id uuid not null,
  autor_id uuid not null,
  comentario jsonb not null,
  borrado_en timestamptz not null default now(),
  constraint comentarios_borrados_pkey primary key (id),
  constraint comentarios_borrados_actividad_id_fkey foreign key (actividad_id)
    references public.actividades (id) on delete cascade,
  constraint comentarios_borrados_autor_id_fkey foreign key (autor_id)
    references auth.users (id) on delete cascade
);

create index comentarios_borrados_actividad_id_idx on planes.comentarios_borrados (actividad_id);
create index comentarios_borrados_autor_id_idx
  on planes.comentarios_borrados (autor_id, borrado_en);
comment on table planes.comentarios_borrados is
  'Deleted comments, an hour, for who wrote them; the next deletion clears what is older.';

create or replace function public.borrar_comentario(id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  fila public.comentarios;
begin
  select * into fila from public.comentarios c
  where c.id = borrar_comentario.id and c.autor_id = yo;
  if not found then
    raise exception 'Ese comentario no existe o no es tuyo.';
  end if;
  perform planes.plan_comun(fila.actividad_id);
  delete from planes.comentarios_borrados b
  where b.autor_id = yo and b.borrado_en < now() - interval '1 hour';
  insert into planes.comentarios_borrados (id, actividad_id, autor_id, comentario)
  values (fila.id, fila.actividad_id, yo, to_jsonb(fila));
  delete from public.comentarios c where c.id = fila.id;
end
$$;

create function public.recuperar_comentario(id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  guardado planes.comentarios_borrados;
begin
  delete from planes.comentarios_borrados b
  where b.id = recuperar_comentario.id and b.autor_id = yo
    and b.borrado_en >= now() - interval '1 hour'
  returning * into guardado;
  if not found then
    raise exception 'Ese comentario ya no se puede recuperar.';
  end if;
  perform planes.plan_comun(guardado.actividad_id);
  -- Whoever was told of it once is not told again.
  perform set_config('planes.recuperando', '1', true);
  insert into public.comentarios
  select c.* from jsonb_populate_record(null::public.comentarios, guardado.comentario) as c;
  perform set_config('planes.recuperando', '', true);
end
$$;

comment on function public.recuperar_comentario(uuid) is
  'Takes the deletion of a comment of one''s own back, for an hour, while its plan is common.';
revoke execute on function public.recuperar_comentario(uuid) from public, anon;
grant execute on function public.recuperar_comentario(uuid) to authenticated, service_role;

