-- Photos are in the export, and the web app may have them.

create or replace function public.exportar_datos()
returns jsonb
language sql
stable
set search_path = ''
as $$
  select jsonb_build_object(
    'exportado_en', now(),
    'perfil', (select to_jsonb(p) from public.profiles p where p.id = auth.uid()),
    'pareja', (
      select jsonb_build_object('nombre', p.nombre) from public.profiles p
      where p.id <> auth.uid() limit 1
    ),
    'actividades', coalesce(
      (select jsonb_agg(to_jsonb(a) order by a.fecha, a.id) from public.actividades a), '[]'
    ),
    'historial', coalesce(
      (select jsonb_agg(to_jsonb(h) order by h.id) from public.historial h), '[]'
    ),
    'comentarios', coalesce(
      (select jsonb_agg(to_jsonb(c) order by c.creado_en, c.id) from public.comentarios c), '[]'
    ),
    'reacciones', coalesce((select jsonb_agg(to_jsonb(r)) from public.reacciones r), '[]'),
    'fechas_especiales', coalesce(
      (select jsonb_agg(to_jsonb(f) order by f.fecha, f.id) from public.fechas_especiales f), '[]'
    ),
    'ideas', coalesce(
      (select jsonb_agg(to_jsonb(i) order by i.creado_en, i.id) from public.ideas i), '[]'
    ),
    'apetencias', coalesce((select jsonb_agg(to_jsonb(s)) from public.apetencias s), '[]'),
    'pagos', coalesce(
      (select jsonb_agg(to_jsonb(g) order by g.creado_en, g.id) from public.pagos g), '[]'
    ),
    'liquidaciones', coalesce(
      (select jsonb_agg(to_jsonb(l) order by l.creado_en, l.id) from public.liquidaciones l), '[]'
    ),
    'recuerdos', coalesce(
      (select jsonb_agg(to_jsonb(m) order by m.creado_en, m.id) from public.recuerdos m), '[]'
    ),
    'papelera', public.mis_borrados()
  )
$$;

comment on function public.exportar_datos() is
  'All that the caller may read: {exportado_en, perfil, pareja, actividades, historial, comentarios, '
  'reacciones, fechas_especiales, ideas, apetencias, pagos, liquidaciones, recuerdos, papelera}. The '
  'photos'' files are read under their names from the bucket recuerdos.';

create or replace function public.version_del_plan()
returns integer
language sql
stable
set search_path = ''
as $$
  select case when to_regclass('storage.objects') is null then 8 else 9 end
$$;

comment on function public.version_del_plan() is
  'What this server has beyond the specification: 1 hours, several days and places; 2 the account; '
  '3 what is said about a plan; 4 special days; 5 ideas without a date; '
  '6 what plans really cost; 7 alerts with the app closed; 8 reminders; 9 photos.';
