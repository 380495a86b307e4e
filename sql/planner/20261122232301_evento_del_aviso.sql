-- A message says what kind it is of: a page in view announces some by itself already.

create or replace function planes.avisar(
  persona uuid, evento text, titulo text, cuerpo text, plan uuid, oculto text default null
)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  aparato planes.dispositivos;
  listo timestamptz;
  carga jsonb;
  lema text;
begin
  for aparato in
    select d.* from planes.dispositivos d
    where d.persona_id = persona and (evento is null or evento = any (d.eventos))
    order by d.id
  loop
    listo := planes.fin_del_silencio(
      aparato.silencio_desde, aparato.silencio_hasta, aparato.zona, now()
    );
    lema := case when aparato.ver_titulo then cuerpo else 'Ábrelo para verlo' end;
    carga := jsonb_build_object(
      'titulo', case when aparato.ver_titulo then titulo else coalesce(oculto, titulo) end,
      'cuerpo', left(lema, 500),
      'url', case when plan is null then '/dashboard' else '/dashboard?plan=' || plan end,
      'evento', evento
    );
    if listo <= now() then
      perform planes.recado_para(
        aparato, carga, coalesce(plan::text, 'planes'), null, now(), now() + interval '24 hours'
      );
    else
      perform planes.guardar_para_luego(aparato, carga, listo);
    end if;
  end loop;
end
$$;
