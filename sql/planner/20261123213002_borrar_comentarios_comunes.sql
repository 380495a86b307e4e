-- After parting nobody changes what is said about the other's plans, not even by taking their own words back.

create or replace function public.borrar_comentario(id uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  yo constant uuid := planes.yo_retenido();
  del_plan constant uuid := (
    select c.actividad_id from public.comentarios c
    where c.id = borrar_comentario.id and c.autor_id = yo
  );
begin
  if del_plan is null then
    raise exception 'Ese comentario no existe o no es tuyo.';
  end if;
  perform planes.plan_comun(del_plan);
  delete from public.comentarios c where c.id = borrar_comentario.id;
end
$$;

comment on function public.borrar_comentario(uuid) is
  'Deletes a comment of one''s own, while its plan is common.';
