-- Who owns what, row-level security without a policy on every table, and what the API roles may
-- ask of it: policies are the project's (storage reference 12).

do $ownership$
declare
  object record;
begin
  for object in
    select format('%s %I.%I', k.kind, n.nspname, c.relname) as name
    from pg_catalog.pg_class c
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join (values ('r', 'table'), ('p', 'table'), ('v', 'view')) as k (code, kind) on k.code = c.relkind
    where n.nspname in ('storage', 'storage_compat')
      and c.relowner <> 'supabase_storage_admin'::regrole
    union all
    select format('type storage.%I', t.typname)
    from pg_catalog.pg_type t
    where t.typnamespace = 'storage'::regnamespace and t.typtype = 'e'
      and t.typowner <> 'supabase_storage_admin'::regrole
    union all
    select format('routine %s', p.oid::regprocedure)
    from pg_catalog.pg_proc p
    join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('storage', 'storage_compat')
      and p.proowner <> 'supabase_storage_admin'::regrole
  loop
    execute format('alter %s owner to supabase_storage_admin', object.name);
  end loop;
end
$ownership$;

alter table storage.migrations enable row level security;
alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
alter table storage.s3_multipart_uploads enable row level security;
alter table storage.s3_multipart_uploads_parts enable row level security;
alter table storage.buckets_analytics enable row level security;
alter table storage.buckets_vectors enable row level security;
alter table storage.vector_indexes enable row level security;

grant all on storage.buckets, storage.objects, storage.buckets_analytics
  to anon, authenticated, service_role;
grant all on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to service_role;
grant select on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts,
  storage.buckets_vectors, storage.vector_indexes
  to anon, authenticated, service_role;
grant usage on schema storage_compat to anon, authenticated, service_role;

do $postgres$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    grant usage on schema storage to postgres with grant option;
    grant all on storage.buckets, storage.objects to postgres with grant option;
  end if;
end
$postgres$;
