-- Up to when somebody has read is seen with the plan: after a parting, what is left of it would tell whether the
-- other still has the plan.

alter policy lecturas_select on public.lecturas
  using (
    persona_id = (select auth.uid())
    and exists (select from public.actividades a where a.id = actividad_id)
  );
