-- What policies call, and what keeps the tables as they should be (storage reference 12).

create or replace function storage.foldername(name text) returns text[]
language sql immutable
as $$
  select p.parts[1 : array_length(p.parts, 1) - 1] from (select string_to_array(name, '/')) as p (parts)
$$;

create or replace function storage.filename(name text) returns text
language sql immutable
as $$
  select p.parts[array_length(p.parts, 1)] from (select string_to_array(name, '/')) as p (parts)
$$;

create or replace function storage.extension(name text) returns text
language sql immutable
as $$
  select reverse(split_part(reverse(p.parts[array_length(p.parts, 1)]), '.', 1))
  from (select string_to_array(name, '/')) as p (parts)
$$;

create or replace function storage.operation() returns text
language sql stable
as $$ select current_setting('storage.operation', true) $$;

create or replace function storage.allow_any_operation(expected_operations text[]) returns boolean
language sql stable
as $$
  select exists (
    select
    from unnest(expected_operations) as e (operation)
    where e.operation <> ''
      and regexp_replace(e.operation, '^storage\.', '')
        = regexp_replace(storage.operation(), '^storage\.', '')
  )
$$;

create or replace function storage.allow_only_operation(expected_operation text) returns boolean
language sql stable
as $$ select storage.allow_any_operation(array[expected_operation]) $$;

create or replace function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
language sql stable
as $$
  select sum((o.metadata->>'size')::bigint)::bigint, o.bucket_id
  from storage.objects as o group by o.bucket_id
$$;

create or replace function storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text)
returns text
language sql immutable
as $$
  select case
    when f.found > 0
      then left(p_key, length(p_prefix) + f.found + length(p_delimiter) - 1)
  end
  from (select position(p_delimiter in substr(p_key, length(p_prefix) + 1))) as f (found)
$$;

create or replace function storage.can_insert_object(
  bucketid text, name text, owner uuid, metadata jsonb
) returns void
language plpgsql volatile
as $$
begin
  insert into storage.objects (bucket_id, name, owner, metadata)
  values (bucketid, name, owner, metadata);
  raise sqlstate 'PT200' using
    message = 'ROLLBACK',
    detail = 'the insert is allowed, and was only tried';
end
$$;

create or replace function storage.update_updated_at_column() returns trigger
language plpgsql volatile
as $$
begin
  new.updated_at = now();
  return new;
end
$$;

create or replace function storage.enforce_bucket_name_length() returns trigger
language plpgsql volatile
as $$
begin
  if length(new.name) > 100 then
    raise exception 'bucket name "%" is too long (% characters). Max is 100.',
      new.name, length(new.name);
  end if;
  return new;
end
$$;

create or replace function storage.protect_delete() returns trigger
language plpgsql volatile
as $$
begin
  if coalesce(current_setting('storage.allow_delete_query', true), 'false') <> 'true' then
    raise exception using
      errcode = '42501',
      message = 'Direct deletion from storage tables is not allowed. Use the Storage API instead.',
      hint = 'This prevents accidental data loss from orphaned objects.';
  end if;
  return null;
end
$$;

drop trigger if exists update_objects_updated_at on storage.objects;
create trigger update_objects_updated_at before update on storage.objects
  for each row execute function storage.update_updated_at_column();

drop trigger if exists enforce_bucket_name_length_trigger on storage.buckets;
create trigger enforce_bucket_name_length_trigger before insert or update of name on storage.buckets
  for each row execute function storage.enforce_bucket_name_length();

drop trigger if exists protect_buckets_delete on storage.buckets;
create trigger protect_buckets_delete before delete on storage.buckets
  for each statement execute function storage.protect_delete();

drop trigger if exists protect_objects_delete on storage.objects;
create trigger protect_objects_delete before delete on storage.objects
  for each statement execute function storage.protect_delete();
