-- A database that a release of the original of 2025 made: triggers on every object kept a table of
-- folders, which its own migrations 42 to 52 removed again. 0009_original.sql records these as done,
-- so that they would stay for ever, and cost every write. The table, the column and the functions
-- may stay: nothing reads them.

set local client_min_messages = warning;  -- no line for every trigger that is not there

drop trigger if exists objects_insert_create_prefix on storage.objects;
drop trigger if exists objects_update_create_prefix on storage.objects;
drop trigger if exists objects_update_level_trigger on storage.objects;
drop trigger if exists objects_update_cleanup on storage.objects;
drop trigger if exists objects_delete_cleanup on storage.objects;
drop trigger if exists objects_delete_delete_prefix on storage.objects;
