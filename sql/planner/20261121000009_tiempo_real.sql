-- Live changes of activities and profiles, deletes included, for the couple alone.

alter publication supabase_realtime add table public.actividades, public.profiles;

alter table public.actividades replica identity full;
alter table public.profiles replica identity full;

-- On a platform without guarded deletes (the original) everybody who listens is told the key of a
-- deleted row, and nothing else.
do $guard$
begin
  if to_regprocedure('realtime.guard_deletes(regclass)') is not null then
    perform realtime.guard_deletes('public.actividades');
    perform realtime.guard_deletes('public.profiles');
  end if;
end
$guard$;
