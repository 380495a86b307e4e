-- Nothing of a couple can be read out of an estimate.
--
-- PostgREST answers `Prefer: count=planned` with the planner's row estimate, which comes from
-- statistics over everybody's rows, before any policy: an outsider who filters by a title would
-- learn whether many rows carry it. Without statistics the estimate says nothing of the values.
-- The list of a couple is found by the index on pareja_id all the same.

alter table public.actividades
  alter column id set statistics 0,
  alter column titulo set statistics 0,
  alter column descripcion set statistics 0,
  alter column fecha set statistics 0,
  alter column presupuesto set statistics 0,
  alter column estado set statistics 0,
  alter column creador_id set statistics 0,
  alter column pareja_id set statistics 0,
  alter column aceptado_por set statistics 0,
  alter column creado_en set statistics 0;

alter table public.profiles
  alter column id set statistics 0,
  alter column nombre set statistics 0,
  alter column pareja_id set statistics 0;
