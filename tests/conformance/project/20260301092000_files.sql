-- Files as projects keep them: a public bucket, a private one, and a folder for each person.

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values
  ('avatars', 'avatars', true, 100000, array['image/png', 'text/plain']),
  ('papers', 'papers', false, null, null);

create policy "a person's own folder" on storage.objects to authenticated
  using (bucket_id in ('avatars', 'papers') and (storage.foldername(name))[1] = (select auth.uid())::text)
  with check (bucket_id in ('avatars', 'papers') and (storage.foldername(name))[1] = (select auth.uid())::text);
