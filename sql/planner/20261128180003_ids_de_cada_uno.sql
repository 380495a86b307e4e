-- An id that its writer gives is theirs alone: the key is the writer's, the plan's or the couple's, with it.
-- As long as the id alone was the key, whoever knew one of somebody else's could learn whether its row is
-- still there (their own was refused, or not made), and could keep a deleted row from coming back by making
-- another of its id.

alter table public.comentarios
  drop constraint comentarios_pkey,
  add constraint comentarios_pkey primary key (autor_id, id);
alter table planes.comentarios_borrados
  drop constraint comentarios_borrados_pkey,
  add constraint comentarios_borrados_pkey primary key (autor_id, id);
alter table public.recuerdos
  drop constraint recuerdos_pkey,
  add constraint recuerdos_pkey primary key (autor_id, id);
alter table planes.recuerdos_borrados
  drop constraint recuerdos_borrados_pkey,
  add constraint recuerdos_borrados_pkey primary key (autor_id, id);
alter table public.pagos
  drop constraint pagos_pkey,
  add constraint pagos_pkey primary key (actividad_id, id);
alter table public.liquidaciones
  drop constraint liquidaciones_pkey,
  add constraint liquidaciones_pkey primary key (pareja_id, id);
alter table public.fechas_especiales
  drop constraint fechas_especiales_pkey,
  add constraint fechas_especiales_pkey primary key (pareja_id, id);

-- Who likes an idea names it whole: by its id alone somebody else's likes would be seen with one's own idea.
alter table public.apetencias add column creador_id uuid;
comment on column public.apetencias.creador_id is 'Of the idea.';
update public.apetencias a set creador_id = i.creador_id from public.ideas i where i.id = a.idea_id;
alter table public.apetencias
  alter column creador_id set not null,
  alter column creador_id set statistics 0,
  drop constraint apetencias_idea_id_fkey,
  drop constraint apetencias_pkey;
alter table public.ideas
  drop constraint ideas_pkey,
  add constraint ideas_pkey primary key (creador_id, id);
alter table public.apetencias
  add constraint apetencias_pkey primary key (creador_id, idea_id, persona_id),
  add constraint apetencias_idea_id_fkey foreign key (creador_id, idea_id)
    references public.ideas (creador_id, id) on delete cascade;
alter policy apetencias_select on public.apetencias
  using (exists (
    select from public.ideas i
    where i.id = apetencias.idea_id and i.creador_id = apetencias.creador_id
  ));

-- The keys begin with what these had.
drop index public.ideas_creador_id_idx;
drop index public.fechas_especiales_pareja_id_idx;
drop index planes.recuerdos_borrados_autor_id_idx;

create or replace function planes.idea_comun(idea uuid)
returns public.ideas
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  fila public.ideas;
begin
  select * into fila from public.ideas i
  where i.id = idea and i.pareja_id = coalesce(planes.mi_pareja_ahora(), yo)
  order by i.creado_en limit 1 for update;
  if not found then
    raise exception 'Esa idea no existe o no la compartes.';
  end if;
  return fila;
end
$$;

create or replace function public.me_apetece(idea uuid, si boolean)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  fila constant public.ideas := planes.idea_comun(me_apetece.idea);
begin
  if si then
    insert into public.apetencias (creador_id, idea_id, persona_id)
    values (fila.creador_id, fila.id, auth.uid())
    on conflict on constraint apetencias_pkey do nothing;
  else
    delete from public.apetencias a
    where a.creador_id = fila.creador_id and a.idea_id = fila.id and a.persona_id = auth.uid();
  end if;
end
$$;

create or replace function public.guardar_idea(
  id uuid, titulo text, nota text default null, presupuesto numeric default null
)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  mia constant uuid := coalesce(planes.mi_pareja_ahora(), yo);
begin
  update public.ideas i
  set titulo = guardar_idea.titulo, nota = guardar_idea.nota, presupuesto = guardar_idea.presupuesto
  where i.id = guardar_idea.id and i.creador_id = yo and i.pareja_id = mia;
  if found then
    return;
  end if;
  -- One after the other, so that the limit holds for two at once.
  perform pg_advisory_xact_lock(hashtextextended('ideas ' || mia, 0));
  if exists (select from public.ideas i where i.id = guardar_idea.id and i.pareja_id = mia) then
    return;  -- the partner's
  elsif (select count(*) from public.ideas i where i.pareja_id = mia) >= 500 then
    raise exception 'Ya no caben más ideas. Borrad alguna.';
  end if;
  -- One of one's own from before stays as it is.
  insert into public.ideas (id, pareja_id, creador_id, titulo, nota, presupuesto)
  values (
    guardar_idea.id, mia, yo, guardar_idea.titulo, guardar_idea.nota, guardar_idea.presupuesto
  )
  on conflict on constraint ideas_pkey do nothing;
end
$$;
