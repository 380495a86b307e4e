-- Helpers of tests write into tables on which the project's owner may have triggers: they run as that
-- owner, and no superuser, also in databases made before.
do $owner$
declare
  helper record;
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'postgres') then
    return;
  end if;
  for helper in
    select p.oid::regprocedure as called
    from pg_catalog.pg_proc as p
    join pg_catalog.pg_depend as d on d.objid = p.oid and d.deptype = 'e'
      and d.classid = 'pg_catalog.pg_proc'::regclass
    join pg_catalog.pg_extension as e on e.oid = d.refobjid
    where e.extname = 'basejump-supabase_test_helpers' and p.prosecdef
      and p.proowner <> 'postgres'::regrole and pg_has_role(current_user, p.proowner, 'usage')
  loop
    execute format('alter function %s owner to postgres', helper.called);
  end loop;
end
$owner$;
