-- lower() is not leakproof, so that policies on storage.objects keep it from an index
-- (storage reference 7.1).

-- The lower case of a name: PostgreSQL's own lower(), leakproof where whoever migrates may say so, with
-- an index of its own. Elsewhere it is lower() and its index, and a page costs what it did.
do $folded$
begin
  create or replace function storage_compat.folded(text) returns text
    language internal immutable strict parallel safe leakproof as 'lower';
  create index if not exists storage_compat_folded on storage.objects
    (bucket_id, storage_compat.folded(name) collate "C", name collate "C");
exception
  when insufficient_privilege then
    create or replace function storage_compat.folded(text) returns text
      language sql immutable strict parallel safe as 'select lower($1)';
end
$folded$;

alter function storage_compat.folded(text) owner to supabase_storage_admin;
grant execute on function storage_compat.folded(text) to anon, authenticated, service_role;
